// SPDX-License-Identifier: Apache-2.0
// Sums over groups of any form. Integers make them exact in every order.
#include <gtest/gtest.h>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "tests/ops/all_reduce/mesh_sum.hpp"
#include "tests/ops/collectives/groups.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera {
namespace {

using ops::AllReduceAlgorithm;
using ops::PartialSums;
using testing::Form;
using testing::from_bf16;
using testing::Group;
using testing::GroupRun;
using testing::to_bf16;

/// Returns −8 to 7: a sum of 32 of them fits in the 8 significant bits of bfloat16.
std::vector<HostTensor> integers(const Group& group, const Shape& shape) {
    std::mt19937 random(5);
    std::vector<HostTensor> inputs;
    for (std::size_t p = 0; p < group.devices.size(); ++p) {
        inputs.push_back(make_host_tensor(shape, DataFormat::Float16_b));
        for (std::uint16_t& value : inputs.back().as<std::uint16_t>()) {
            value = to_bf16(static_cast<float>(static_cast<int>(random() % 16) - 8));
        }
    }
    return inputs;
}

float exact_sum(const std::vector<HostTensor>& inputs, std::size_t element) {
    float sum = 0;
    for (const HostTensor& input : inputs) {
        sum += from_bf16(input.as<std::uint16_t>()[element]);
    }
    return sum;
}

class GroupSums : public ::testing::TestWithParam<Group> {
protected:
    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(GetParam().devices.size());
    }
};

TEST_P(GroupSums, ReachAllDevicesByEveryAlgorithm) {
    const Group& group = GetParam();
    const auto inputs = integers(group, {5, 700});  // rows of 1400 bytes, padded to 1408
    for (const auto algorithm : {AllReduceAlgorithm::Bidirectional, AllReduceAlgorithm::Line,
                                 AllReduceAlgorithm::RowsColumns, AllReduceAlgorithm::Tree}) {
        for (const PartialSums partial_sums : {PartialSums::Fp32, PartialSums::Bf16}) {
            if (algorithm == AllReduceAlgorithm::RowsColumns && group.form == Form::Any) {
                continue;
            }
            GroupRun run(ops::all_reduce::op(), group.mesh, group.devices);
            run.params<ops::AllReduceSpec>() = {.algorithm = algorithm,
                                                .partial_sums = partial_sums,
                                                .links = 1,
                                                .chunk_packets = 1};
            run.add(inputs);
            run.launch();
            for (std::size_t p = 0; p < size(); ++p) {
                const HostTensor sum = run.output(p);
                for (std::size_t i = 0; i < 5 * 700; ++i) {
                    ASSERT_EQ(from_bf16(sum.as<std::uint16_t>()[i]), exact_sum(inputs, i))
                        << "position " << p << " algorithm " << static_cast<int>(algorithm)
                        << " element " << i;
                }
            }
        }
    }
}

// Counts of 0 to 2 rows, so some devices keep no rows.
TEST_P(GroupSums, StayWithTheDevicesByCounts) {
    const Group& group = GetParam();
    const auto inputs = integers(group, {2 * size(), 300});
    std::vector<std::uint32_t> counts;
    for (std::uint32_t p = 0; p < size(); ++p) {
        counts.push_back((p + 1) % 3);
    }
    for (const auto algorithm :
         {ops::reduce_scatter::Algorithm::Ring, ops::reduce_scatter::Algorithm::RowsColumns}) {
        if (algorithm == ops::reduce_scatter::Algorithm::RowsColumns && group.form == Form::Any) {
            continue;
        }
        GroupRun run(ops::reduce_scatter::op(), group.mesh, group.devices);
        run.params<ops::reduce_scatter::Schedule>() = {
            .links = 2, .algorithm = algorithm, .partial_sums = PartialSums::Fp32};
        run.add(inputs);
        run.add(testing::host_tensor({size()}, DataFormat::UInt32, counts));
        run.launch();
        std::size_t first = 0;
        for (std::uint32_t p = 0; p < size(); ++p) {
            const HostTensor slice = run.output(p);
            for (std::size_t i = 0; i < std::size_t{300} * counts[p]; ++i) {
                ASSERT_EQ(from_bf16(slice.as<std::uint16_t>()[i]),
                          exact_sum(inputs, first * 300 + i))
                    << "position " << p << " element " << i;
            }
            first += counts[p];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Groups, GroupSums, ::testing::ValuesIn(testing::kGroups),
                         [](const auto& row) { return row.param.name; });

// Two phases of 64 steps, of four words each, would exceed a kernel's 341 arguments.
TEST(PlanOfManyDevices, FitsAKernelsArgumentsAsRunsOfSteps) {
    const MeshSpec mesh{{8, 8}, Topology::Torus, "wormhole_n150"};
    const Group group{"Mesh8x8", mesh, testing::all_of(mesh), Form::Any};
    const auto inputs = integers(group, {128, 1024});
    GroupRun run(ops::all_reduce::op(), group.mesh, group.devices);
    run.params<ops::AllReduceSpec>() = {.algorithm = AllReduceAlgorithm::Bidirectional,
                                        .partial_sums = PartialSums::Fp32,
                                        .links = 1};
    run.add(inputs);
    run.launch();
    for (const std::size_t position : {0, 27, 63}) {
        const HostTensor sum = run.output(position);
        for (std::size_t i = 0; i < 128 * 1024; ++i) {
            ASSERT_EQ(from_bf16(sum.as<std::uint16_t>()[i]), exact_sum(inputs, i))
                << "position " << position << " element " << i;
        }
    }
}

// A list of devices is walked row by row of the mesh, every second row in reverse: 1, 2, 7, 4, 8.
TEST(GroupSumOrder, OfAListIsRowByRowBackAndForth) {
    const MeshSpec mesh{{3, 4}, Topology::Line, "wormhole_n150"};
    const std::vector<std::uint32_t> list{8, 1, 7, 4, 2};
    std::vector<HostTensor> inputs;
    for (std::uint32_t p = 0; p < 5; ++p) {
        inputs.push_back(testing::random_bf16({5, 1024}, p + 1));
    }
    GroupRun run(ops::reduce_scatter::op(), mesh, list);
    run.params<ops::reduce_scatter::Schedule>() = {
        .links = 1,
        .algorithm = ops::reduce_scatter::Algorithm::Ring,
        .partial_sums = PartialSums::Fp32};
    run.add(inputs);
    run.launch();
    const std::vector<std::size_t> walk{1, 4, 2, 3, 0};  // positions in the list
    for (std::size_t stop = 0; stop < 5; ++stop) {
        const HostTensor slice = run.output(walk[stop]);
        for (std::size_t i = 0; i < 1024; ++i) {
            float sum = 0;
            for (std::size_t step = 1; step <= 5; ++step) {
                const HostTensor& input = inputs[walk[(stop + step) % 5]];
                sum += from_bf16(input.as<std::uint16_t>()[walk[stop] * 1024 + i]);
            }
            ASSERT_EQ(from_bf16(slice.as<std::uint16_t>()[i]), from_bf16(to_bf16(sum)));
        }
    }
}

}  // namespace
}  // namespace tessera
