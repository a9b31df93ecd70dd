// SPDX-License-Identifier: Apache-2.0
// Sums equal the declared order of additions bit for bit.
#include <gtest/gtest.h>

#include <numeric>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "tests/ops/all_reduce/mesh_sum.hpp"
#include "tests/ops/collectives/group_run.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera {
namespace {

using ops::PartialSums;
using testing::from_bf16;
using testing::GroupRun;
using testing::to_bf16;

constexpr std::uint32_t kUnit = 1024;  // elements

/// Returns a sum in the format in which it is sent or stored for a later phase.
float as_it_travels(float sum, PartialSums partial_sums) {
    return partial_sums == PartialSums::Bf16 ? from_bf16(to_bf16(sum)) : sum;
}

/// Returns ((x_first + x_second) + …), with partial sums and the last sum in the sent format.
float partial_sum(const std::vector<HostTensor>& inputs, std::size_t element,
                  const std::vector<std::uint32_t>& order, PartialSums partial_sums) {
    float sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const float value = from_bf16(inputs[order[i]].as<std::uint16_t>()[element]);
        sum = as_it_travels(i == 0 ? value : sum + value, partial_sums);
    }
    return sum;
}
float sum_in_order(const std::vector<HostTensor>& inputs, std::size_t element,
                   const std::vector<std::uint32_t>& order, PartialSums partial_sums) {
    return from_bf16(to_bf16(partial_sum(inputs, element, order, partial_sums)));
}

/// Returns positions from the one after `last` on, in steps of ±1, `last` last.
std::vector<std::uint32_t> ring_order(std::uint32_t devices, std::uint32_t last, bool backward) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 1; i <= devices; ++i) {
        order.push_back(backward ? (last + devices - i) % devices : (last + i) % devices);
    }
    return order;
}

std::vector<HostTensor> random_inputs(std::uint32_t devices, const Shape& shape) {
    std::vector<HostTensor> inputs;
    for (std::uint32_t d = 0; d < devices; ++d) {
        inputs.push_back(testing::random_bf16(shape, d + 11));
    }
    return inputs;
}

struct Ring {
    std::string name;
    std::uint32_t devices;
    Topology topology;
    std::uint32_t links;
    PartialSums partial_sums;
};
void PrintTo(const Ring& ring, std::ostream* out) {
    *out << ring.name;
}

class SumOrder : public ::testing::TestWithParam<Ring> {
protected:
    MeshSpec mesh_{{1, GetParam().devices}, GetParam().topology, "wormhole_n150"};
};

// 10 units per slice: the first 5 go forward, the other 5 backward.
TEST_P(SumOrder, OfReduceScatterIsTheRings) {
    const auto& [name, devices, topology, links, partial_sums] = GetParam();
    const auto inputs = random_inputs(devices, {10 * devices, kUnit});
    for (const bool both_ways : {false, true}) {
        GroupRun run(ops::reduce_scatter::op(), mesh_, testing::all_of(mesh_));
        run.params<ops::reduce_scatter::Schedule>() = {
            .links = links,
            .algorithm = both_ways ? ops::reduce_scatter::Algorithm::Bidirectional
                                   : ops::reduce_scatter::Algorithm::Ring,
            .chunk_packets = 2,
            .partial_sums = partial_sums};
        run.add(inputs);
        run.launch();
        for (std::uint32_t p = 0; p < devices; ++p) {
            const HostTensor slice = run.output(p);
            for (std::size_t i = 0; i < 10 * kUnit; ++i) {
                const bool backward = both_ways && i >= 5 * kUnit;
                ASSERT_EQ(from_bf16(slice.as<std::uint16_t>()[i]),
                          sum_in_order(inputs, std::size_t{p} * 10 * kUnit + i,
                                       ring_order(devices, p, backward), partial_sums))
                    << "device " << p << " element " << i;
            }
        }
    }
}

// Units are distributed over 2·links cores, forward cores first; a core's units over the devices.
TEST_P(SumOrder, OfAllReduceIsTheRings) {
    const auto& [name, devices, topology, links, partial_sums] = GetParam();
    constexpr std::uint32_t kUnits = 47;
    const auto inputs = random_inputs(devices, {kUnits, kUnit});
    GroupRun run(ops::all_reduce::op(), mesh_, testing::all_of(mesh_));
    run.params<ops::AllReduceSpec>() = {.algorithm = ops::AllReduceAlgorithm::Bidirectional,
                                        .partial_sums = partial_sums,
                                        .links = links};
    run.add(inputs);
    run.launch();
    const HostTensor sum = run.output(0);
    const std::uint32_t lanes = 2 * links;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t first = kUnits * lane / lanes;
        const std::uint32_t count = kUnits * (lane + 1) / lanes - first;
        for (std::uint32_t owner = 0; owner < devices; ++owner) {
            const std::uint32_t begin = first + count * owner / devices;
            const std::uint32_t end = first + count * (owner + 1) / devices;
            const auto order = ring_order(devices, owner, lane >= links);
            for (std::size_t i = std::size_t{begin} * kUnit; i < std::size_t{end} * kUnit; ++i) {
                ASSERT_EQ(from_bf16(sum.as<std::uint16_t>()[i]),
                          sum_in_order(inputs, i, order, partial_sums))
                    << i;
            }
        }
    }
    for (std::uint32_t p = 1; p < devices; ++p) {
        EXPECT_EQ(run.output(p).bytes, sum.bytes);
    }
}

// The first half of the units goes from device 0 to the last device, the second half back.
TEST_P(SumOrder, OfALineGoesFromEndToEnd) {
    const auto& [name, devices, topology, links, partial_sums] = GetParam();
    const auto inputs = random_inputs(devices, {16, kUnit});
    GroupRun run(ops::all_reduce::op(), mesh_, testing::all_of(mesh_));
    run.params<ops::AllReduceSpec>() = {
        .algorithm = ops::AllReduceAlgorithm::Line, .partial_sums = partial_sums, .links = links};
    run.add(inputs);
    run.launch();
    std::vector<std::uint32_t> forward(devices);
    std::iota(forward.begin(), forward.end(), 0U);
    const std::vector<std::uint32_t> backward(forward.rbegin(), forward.rend());
    for (std::uint32_t p = 0; p < devices; ++p) {
        const HostTensor sum = run.output(p);
        for (std::size_t i = 0; i < 16 * kUnit; ++i) {
            ASSERT_EQ(from_bf16(sum.as<std::uint16_t>()[i]),
                      sum_in_order(inputs, i, i < 8 * kUnit ? forward : backward, partial_sums));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Rings, SumOrder,
    ::testing::Values(Ring{"TwoOnALineFp32", 2, Topology::Line, 1, PartialSums::Fp32},
                      Ring{"ThreeOnALineBf16", 3, Topology::Line, 2, PartialSums::Bf16},
                      Ring{"FiveOnARingFp32", 5, Topology::Ring, 4, PartialSums::Fp32},
                      Ring{"EightOnARingBf16", 8, Topology::Ring, 4, PartialSums::Bf16}),
    [](const auto& row) { return row.param.name; });

class SumOrderOfPhases : public ::testing::TestWithParam<PartialSums> {};

// 2×3: sums of rows, then sums of columns.
TEST_P(SumOrderOfPhases, ReduceScatterSumsRowsFirst) {
    const MeshSpec mesh{{2, 3}, Topology::Torus, "wormhole_n150"};
    const auto inputs = random_inputs(6, {6, kUnit});
    GroupRun run(ops::reduce_scatter::op(), mesh, testing::all_of(mesh));
    run.params<ops::reduce_scatter::Schedule>() = {
        .links = 1,
        .algorithm = ops::reduce_scatter::Algorithm::RowsColumns,
        .partial_sums = GetParam()};
    run.add(inputs);
    run.launch();
    for (std::uint32_t p = 0; p < 6; ++p) {
        const std::uint32_t row = p / 3;
        const std::uint32_t column = p % 3;
        const HostTensor slice = run.output(p);
        for (std::size_t i = 0; i < kUnit; ++i) {
            // One unit: share 1 of 2, which goes backward.
            const auto of_row = [&](std::uint32_t r) {
                std::vector<std::uint32_t> order = ring_order(3, column, true);
                for (std::uint32_t& place : order) {
                    place += 3 * r;
                }
                return partial_sum(inputs, p * kUnit + i, order, GetParam());
            };
            ASSERT_EQ(from_bf16(slice.as<std::uint16_t>()[i]),
                      from_bf16(to_bf16(of_row(1 - row) + of_row(row))));
        }
    }
}

// 2×2: rows give (x0 + x1) and (x2 + x3) in either direction; columns give their sum.
TEST_P(SumOrderOfPhases, AllReduceSumsRowsFirst) {
    const MeshSpec mesh{{2, 2}, Topology::Line, "wormhole_n150"};
    const auto inputs = random_inputs(4, {2, kUnit});
    GroupRun run(ops::all_reduce::op(), mesh, testing::all_of(mesh));
    run.params<ops::AllReduceSpec>() = {
        .algorithm = ops::AllReduceAlgorithm::RowsColumns, .partial_sums = GetParam(), .links = 1};
    run.add(inputs);
    run.launch();
    for (std::uint32_t p = 0; p < 4; ++p) {
        const HostTensor sum = run.output(p);
        for (std::size_t i = 0; i < 2 * kUnit; ++i) {
            const float expected = partial_sum(inputs, i, {0, 1}, GetParam()) +
                                   partial_sum(inputs, i, {2, 3}, GetParam());
            ASSERT_EQ(from_bf16(sum.as<std::uint16_t>()[i]), from_bf16(to_bf16(expected)));
        }
    }
}

// Five in a row: (x0 + x1) and (x2 + x3), each received + own, then their sum, then x4.
TEST_P(SumOrderOfPhases, ATreePairsNeighboursFirst) {
    const MeshSpec mesh{{1, 5}, Topology::Line, "wormhole_n150"};
    const auto inputs = random_inputs(5, {3, kUnit});
    GroupRun run(ops::all_reduce::op(), mesh, testing::all_of(mesh));
    run.params<ops::AllReduceSpec>() = {
        .algorithm = ops::AllReduceAlgorithm::Tree, .partial_sums = GetParam(), .links = 2};
    run.add(inputs);
    run.launch();
    std::vector<HostTensor> sums;
    for (std::uint32_t p = 0; p < 5; ++p) {
        sums.push_back(run.output(p));
    }
    const auto add = [](float received, float own) {
        return as_it_travels(received + own, GetParam());
    };
    for (std::size_t i = 0; i < 3 * kUnit; ++i) {
        const auto x = [&](std::size_t device) {
            return from_bf16(inputs[device].as<std::uint16_t>()[i]);
        };
        const float expected = add(x(4), add(add(x(3), x(2)), add(x(1), x(0))));
        for (const HostTensor& sum : sums) {
            ASSERT_EQ(from_bf16(sum.as<std::uint16_t>()[i]), from_bf16(to_bf16(expected)));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, SumOrderOfPhases,
                         ::testing::Values(PartialSums::Fp32, PartialSums::Bf16),
                         [](const auto& row) {
                             return row.param == PartialSums::Fp32 ? "Fp32" : "Bf16";
                         });

TEST(RaggedReduceScatter, KeepsAsManyRowsAsItsCount) {
    const MeshSpec mesh{{1, 4}, Topology::Ring, "wormhole_n150"};
    const auto inputs = random_inputs(4, {12, 96});
    const std::vector<std::uint32_t> counts{3, 0, 2, 1};
    GroupRun run(ops::reduce_scatter::op(), mesh, testing::all_of(mesh));
    run.params<ops::reduce_scatter::Schedule>() = {
        .links = 1,
        .algorithm = ops::reduce_scatter::Algorithm::Ring,
        .partial_sums = PartialSums::Fp32};
    run.add(inputs);
    run.add(testing::host_tensor({4}, DataFormat::UInt32, counts));
    run.launch();
    std::size_t first = 0;
    for (std::uint32_t p = 0; p < 4; ++p) {
        const HostTensor slice = run.output(p);
        for (std::size_t i = 0; i < std::size_t{96} * counts[p]; ++i) {
            ASSERT_EQ(
                from_bf16(slice.as<std::uint16_t>()[i]),
                sum_in_order(inputs, first * 96 + i, ring_order(4, p, false), PartialSums::Fp32));
        }
        first += counts[p];
    }
}

}  // namespace
}  // namespace tessera
