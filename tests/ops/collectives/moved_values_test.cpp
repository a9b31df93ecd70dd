// SPDX-License-Identifier: Apache-2.0
// Collectives do not change the values that they move: on rows, columns, whole meshes and parts of
// them, with parts of any size.
#include <gtest/gtest.h>

#include <numeric>

#include "ops/all_gather/all_gather.hpp"
#include "ops/all_to_all/all_to_all.hpp"
#include "ops/broadcast/broadcast.hpp"
#include "tests/ops/collectives/group_run.hpp"
#include "tests/ops/collectives/groups.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera {
namespace {

using ops::all_gather::Algorithm;
using ops::exchange::Travel;
using testing::Form;
using testing::Group;
using testing::GroupRun;
using testing::whole;

std::vector<HostTensor> inputs_of(const Group& group, const Shape& shape) {
    std::vector<HostTensor> inputs;
    for (std::uint32_t p = 0; p < group.devices.size(); ++p) {
        inputs.push_back(testing::random_bf16(shape, p + 1));
    }
    return inputs;
}

std::vector<std::byte> first_rows(const HostTensor& tensor, std::uint32_t first,
                                  std::uint32_t count) {
    const std::size_t row = tensor.bytes.size() / tensor.shape[0];
    const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(row * first);
    return {begin, begin + static_cast<std::ptrdiff_t>(row * count)};
}

class Moved : public ::testing::TestWithParam<Group> {};

TEST_P(Moved, AllGatherPutsPartsOneBehindTheOther) {
    const Group& group = GetParam();
    const auto inputs = inputs_of(group, {7, 700});  // rows of 1400 bytes, padded to 1408
    for (const Algorithm algorithm :
         {Algorithm::Ring, Algorithm::Bidirectional, Algorithm::Line, Algorithm::RowsColumns}) {
        if (algorithm == Algorithm::RowsColumns && group.form == Form::Any) {
            continue;
        }
        GroupRun run(ops::all_gather::op(), group.mesh, group.devices);
        run.params<ops::all_gather::Schedule>() = {
            .links = 2, .algorithm = algorithm, .chunk_packets = 1};
        run.add(inputs);
        run.launch();

        std::vector<std::byte> expected;
        for (const HostTensor& input : inputs) {
            expected.insert(expected.end(), input.bytes.begin(), input.bytes.end());
        }
        for (std::size_t p = 0; p < group.devices.size(); ++p) {
            EXPECT_EQ(run.output(p).bytes, expected)
                << "position " << p << " algorithm " << static_cast<int>(algorithm);
        }
    }
}

TEST_P(Moved, RaggedAllGatherTakesEachDevicesCount) {
    const Group& group = GetParam();
    const auto inputs = inputs_of(group, {5, 64});
    std::vector<std::uint32_t> counts;
    std::vector<std::byte> expected;
    for (std::uint32_t p = 0; p < inputs.size(); ++p) {
        counts.push_back(p * 3 % 6);  // 0, 3, 0, 3, … with 6 devices or more; includes 0
        const auto rows = first_rows(inputs[p], 0, counts.back());
        expected.insert(expected.end(), rows.begin(), rows.end());
    }
    for (const Algorithm algorithm :
         {Algorithm::Bidirectional, Algorithm::Line, Algorithm::RowsColumns}) {
        if (algorithm == Algorithm::RowsColumns && group.form == Form::Any) {
            continue;
        }
        GroupRun run(ops::all_gather::op(), group.mesh, group.devices);
        run.params<ops::all_gather::Schedule>() = {.links = 1, .algorithm = algorithm};
        run.add(inputs);
        run.add(testing::host_tensor({static_cast<std::uint32_t>(counts.size())},
                                     DataFormat::UInt32, counts));
        run.launch();

        const std::uint32_t total = std::accumulate(counts.begin(), counts.end(), 0U);
        for (std::size_t p = 0; p < inputs.size(); ++p) {
            EXPECT_EQ(first_rows(run.output(p), 0, total), expected) << p;
        }
    }
}

TEST_P(Moved, BroadcastGivesTheRootsTensor) {
    const Group& group = GetParam();
    const auto inputs = inputs_of(group, {9, 700});
    for (const Travel travel :
         {Travel::Ring, Travel::Bidirectional, Travel::Line, Travel::RowsColumns, Travel::Tree}) {
        if (travel == Travel::RowsColumns && group.form == Form::Any) {
            continue;
        }
        const auto root = static_cast<std::uint32_t>(group.devices.size() / 2);
        GroupRun run(ops::broadcast::op(), group.mesh, group.devices);
        run.params<ops::broadcast::BroadcastSpec>() = {
            .algorithm = travel, .root = root, .links = 2, .packet_tiles = 1, .chunk_packets = 2};
        run.add(inputs);
        run.launch();
        for (std::size_t p = 0; p < group.devices.size(); ++p) {
            EXPECT_EQ(run.output(p).bytes, inputs[root].bytes)
                << "position " << p << " travel " << static_cast<int>(travel);
        }
    }
}

TEST_P(Moved, AllToAllTransposesParts) {
    const Group& group = GetParam();
    const auto devices = static_cast<std::uint32_t>(group.devices.size());
    const auto inputs = inputs_of(group, {3 * devices, 4000});  // rows of more than one packet
    GroupRun run(ops::all_to_all::op(), group.mesh, group.devices);
    run.params<ops::all_to_all::AllToAllSpec>() = {.links = 2};
    run.add(inputs);
    run.launch();
    for (std::uint32_t p = 0; p < devices; ++p) {
        std::vector<std::byte> expected;
        for (const HostTensor& input : inputs) {
            const auto part = first_rows(input, 3 * p, 3);
            expected.insert(expected.end(), part.begin(), part.end());
        }
        EXPECT_EQ(run.output(p).bytes, expected) << p;
    }
}

TEST(AllToAllForward, TransposesParts) {
    const MeshSpec mesh{{6, 1}, Topology::Torus, "wormhole_n150"};
    const Group group{"ColumnOfSix", mesh, testing::all_of(mesh), Form::Any};
    const auto inputs = inputs_of(group, {12, 700});
    GroupRun run(ops::all_to_all::op(), mesh, group.devices);
    run.params<ops::all_to_all::AllToAllSpec>() = {.links = 1,
                                                   .opposite = ops::all_to_all::Opposite::Forward};
    run.add(inputs);
    run.launch();
    for (std::uint32_t p = 0; p < 6; ++p) {
        std::vector<std::byte> expected;
        for (const HostTensor& input : inputs) {
            const auto part = first_rows(input, 2 * p, 2);
            expected.insert(expected.end(), part.begin(), part.end());
        }
        EXPECT_EQ(run.output(p).bytes, expected) << p;
    }
}

TEST_P(Moved, RaggedAllToAllTakesEachPairsCount) {
    const Group& group = GetParam();
    const auto devices = static_cast<std::uint32_t>(group.devices.size());
    const auto inputs = inputs_of(group, {4 * devices, 48});
    std::vector<std::uint32_t> counts(std::size_t{devices} * devices);
    for (std::uint32_t i = 0; i < counts.size(); ++i) {
        counts[i] = i * 7 % 5;  // 0 to 4
    }
    GroupRun run(ops::all_to_all::op(), group.mesh, group.devices);
    run.add(inputs);
    run.add(testing::host_tensor({devices, devices}, DataFormat::UInt32, counts));
    run.launch();
    for (std::uint32_t p = 0; p < devices; ++p) {
        std::vector<std::byte> expected;
        std::uint32_t total = 0;
        for (std::uint32_t from = 0; from < devices; ++from) {
            const auto row = counts.begin() + static_cast<std::ptrdiff_t>(from * devices);
            const auto part = first_rows(inputs[from], std::accumulate(row, row + p, 0U), row[p]);
            expected.insert(expected.end(), part.begin(), part.end());
            total += row[p];
        }
        EXPECT_EQ(first_rows(run.output(p), 0, total), expected) << p;
    }
}

INSTANTIATE_TEST_SUITE_P(Groups, Moved, ::testing::ValuesIn(testing::kGroups),
                         [](const auto& row) { return row.param.name; });

TEST(MovedBytes, AreTheSameForAnyNumberOfThreadsAndOrderOfDelivery) {
    const Group group = whole("", {2, 3}, Topology::Torus);
    const auto inputs = inputs_of(group, {6, 300});
    for (const std::uint32_t threads : {1U, 2U, 5U}) {
        for (const NocDelivery delivery :
             {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
            const SessionOptions options{.threads = threads, .delivery = delivery, .seed = 3};
            GroupRun run(ops::all_to_all::op(), group.mesh, group.devices, options);
            run.add(inputs);
            run.launch();
            EXPECT_EQ(first_rows(run.output(4), 3, 1), first_rows(inputs[3], 4, 1));

            GroupRun gather(ops::all_gather::op(), group.mesh, group.devices, options);
            gather.params<ops::all_gather::Schedule>().algorithm = Algorithm::Bidirectional;
            gather.add(inputs);
            gather.launch();
            EXPECT_EQ(first_rows(gather.output(4), 18, 6), inputs[3].bytes);
        }
    }
}

}  // namespace
}  // namespace tessera
