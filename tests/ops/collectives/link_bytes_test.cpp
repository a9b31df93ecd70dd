// SPDX-License-Identifier: Apache-2.0
// Payload on every link against closed forms, for 2 to 32 devices.
#include <gtest/gtest.h>

#include "ops/all_gather/all_gather.hpp"
#include "ops/all_reduce/all_reduce.hpp"
#include "ops/all_to_all/all_to_all.hpp"
#include "ops/broadcast/broadcast.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "tests/ops/collectives/group_timeline.hpp"

namespace tessera {
namespace {

using enum LinkDirection;
using testing::GroupRun;
using testing::LinkBytes;

const SessionOptions kTimed{.threads = 2, .trace = TraceMode::On, .maths = Maths::Off};
constexpr std::uint64_t kUnitBytes = 2048;

/// A ring of D devices in a row.
class OnARing : public ::testing::TestWithParam<std::uint32_t> {
protected:
    std::uint32_t devices_ = GetParam();
    MeshSpec mesh_{{1, devices_}, Topology::Torus, "wormhole_n150"};

    template <class P>
    LinkBytes bytes_of(const ops::Op& op, const P& params, const Shape& input) {
        GroupRun run(op, mesh_, testing::all_of(mesh_), kTimed);
        run.params<P>() = params;
        run.add(make_host_tensor(input, DataFormat::Float16_b));
        run.launch();
        return testing::link_bytes(testing::timeline(run));
    }
    /// Returns the same bytes for every link. Two devices share both links between them: a ring
    /// that goes from one to the other and back leaves each device by its east link.
    [[nodiscard]] LinkBytes everywhere(std::uint64_t east, std::uint64_t west) const {
        LinkBytes bytes;
        for (std::uint32_t d = 0; d < devices_; ++d) {
            bytes[{d, East}] = devices_ == 2 ? east + west : east;
            if (devices_ > 2 && west != 0) {
                bytes[{d, West}] = west;
            }
        }
        return bytes;
    }
};

// Slices of 16 units: 8 per direction, 2 per link.
TEST_P(OnARing, AllGatherPassesAllSlicesButOne) {
    using namespace ops::all_gather;
    const Shape input{16, 1024};
    const std::uint64_t slice = 16 * kUnitBytes;
    EXPECT_EQ(bytes_of(op(), Schedule{.links = 4, .algorithm = Algorithm::Ring}, input),
              everywhere((devices_ - 1) * slice, 0));
    EXPECT_EQ(bytes_of(op(), Schedule{.links = 4, .algorithm = Algorithm::Bidirectional}, input),
              everywhere((devices_ - 1) * slice / 2, (devices_ - 1) * slice / 2));
}

TEST_P(OnARing, ReduceScatterPassesAsMuchInTheFormatOfPartialSums) {
    using namespace ops::reduce_scatter;
    const Shape input{16 * devices_, 1024};
    const std::uint64_t slice = 16 * kUnitBytes;
    const Schedule both{.links = 4, .algorithm = Algorithm::Bidirectional};
    EXPECT_EQ(bytes_of(op(), both, input),
              everywhere((devices_ - 1) * slice / 2, (devices_ - 1) * slice / 2));
    Schedule fp32 = both;
    fp32.partial_sums = ops::exchange::PartialSums::Fp32;
    EXPECT_EQ(bytes_of(op(), fp32, input),
              everywhere((devices_ - 1) * slice, (devices_ - 1) * slice));
}

// 2·(D − 1)/D of the tensor, half of it in each direction.
TEST_P(OnARing, AllReducePassesItAlmostTwice) {
    const ops::AllReduceSpec spec{.algorithm = ops::AllReduceAlgorithm::Bidirectional,
                                  .partial_sums = ops::PartialSums::Bf16};
    const std::uint64_t part = 8 * kUnitBytes;  // per device
    const std::uint64_t each_way = (devices_ - 1) * part;
    EXPECT_EQ(bytes_of(ops::all_reduce::op(), spec, {8 * devices_, 1024}),
              everywhere(each_way, each_way));
}

// From device 0, half of it passes every link to the east except the last, half to the west.
TEST_P(OnARing, BroadcastPassesHalfOfItEachWayRound) {
    const ops::broadcast::BroadcastSpec spec{.algorithm = ops::exchange::Travel::Bidirectional};
    LinkBytes expected;
    for (std::uint32_t d = 0; d + 1 < devices_; ++d) {
        expected[{d, East}] += 8 * kUnitBytes;
        expected[{(devices_ - d) % devices_, devices_ == 2 ? East : West}] += 8 * kUnitBytes;
    }
    EXPECT_EQ(bytes_of(ops::broadcast::op(), spec, {16, 1024}), expected);
}

INSTANTIATE_TEST_SUITE_P(Devices, OnARing, ::testing::Values(2, 3, 4, 8, 16, 32));

// All-to-all on a ring of D, a multiple of 4: each link carries D²/8 parts in each direction.
class AllToAllOnARing : public OnARing {};

TEST_P(AllToAllOnARing, LoadsAllLinksAlike) {
    const std::uint64_t parts = std::uint64_t{devices_} * devices_ / 8;
    const std::uint64_t bytes = parts * 4 * kUnitBytes;
    EXPECT_EQ(
        bytes_of(ops::all_to_all::op(), ops::all_to_all::AllToAllSpec{}, {4 * devices_, 1024}),
        everywhere(bytes, bytes));
}

// Distances 1 to D/2 go forward, D/2 − 1 of them backward.
TEST_P(AllToAllOnARing, SendsTheFarthestPartsForwardWhereItIsTold) {
    const std::uint64_t half = devices_ / 2;
    const std::uint64_t part = 4 * kUnitBytes;

    EXPECT_EQ(
        bytes_of(ops::all_to_all::op(),
                 ops::all_to_all::AllToAllSpec{.opposite = ops::all_to_all::Opposite::Forward},
                 {4 * devices_, 1024}),
        everywhere(half * (half + 1) / 2 * part, half * (half - 1) / 2 * part));
}

INSTANTIATE_TEST_SUITE_P(Devices, AllToAllOnARing, ::testing::Values(4, 8, 16, 32));

LinkBytes on_mesh(const ops::Op& op, const MeshSpec& mesh, const Shape& input,
                  const std::function<void(GroupRun&)>& set) {
    GroupRun run(op, mesh, testing::all_of(mesh), kTimed);
    set(run);
    run.add(make_host_tensor(input, DataFormat::Float16_b));
    run.launch();
    return testing::link_bytes(testing::timeline(run));
}

// Device d of an open line forwards d + 1 slices to the east and D − d to the west.
TEST(LinesBytes, OfAllGatherGrowAlongTheLine) {
    const MeshSpec mesh{{1, 5}, Topology::Line, "wormhole_n150"};
    LinkBytes expected;
    for (std::uint32_t d = 0; d < 5; ++d) {
        if (d < 4) {
            expected[{d, East}] = (d + 1) * 16 * kUnitBytes;
        }
        if (d > 0) {
            expected[{d, West}] = (5 - d) * 16 * kUnitBytes;
        }
    }
    EXPECT_EQ(on_mesh(ops::all_gather::op(), mesh, {16, 1024},
                      [](GroupRun& run) {
                          run.params<ops::all_gather::Schedule>() = {
                              .links = 4, .algorithm = ops::all_gather::Algorithm::Line};
                      }),
              expected);
}

// 4×8: (C − 1) slices along the row, then (R − 1) of a row's C along the column, half in each
// direction.
TEST(MeshBytes, OfRowsThenColumns) {
    const MeshSpec mesh{{4, 8}, Topology::Torus, "wormhole_n150"};
    const std::uint64_t slice = 16 * kUnitBytes;
    LinkBytes expected;
    for (std::uint32_t d = 0; d < 32; ++d) {
        expected[{d, East}] = expected[{d, West}] = 7 * slice / 2;
        expected[{d, North}] = expected[{d, South}] = 3 * 8 * slice / 2;
    }
    EXPECT_EQ(on_mesh(ops::all_gather::op(), mesh, {16, 1024},
                      [](GroupRun& run) {
                          run.params<ops::all_gather::Schedule>() = {
                              .links = 4, .algorithm = ops::all_gather::Algorithm::RowsColumns};
                      }),
              expected);
}

// 4×8: every device sends to 8 columns of each other row first. A row's link carries 8²/8 parts of
// each of 4 rows, a column's link 4²/8 parts of each of 8 columns.
TEST(MeshBytes, OfAllToAllInDimensionOrder) {
    const MeshSpec mesh{{4, 8}, Topology::Torus, "wormhole_n150"};
    const std::uint64_t part = 4 * kUnitBytes;
    LinkBytes expected;
    for (std::uint32_t d = 0; d < 32; ++d) {
        expected[{d, East}] = expected[{d, West}] = 4 * (8 * 8 / 8) * part;
        expected[{d, North}] = expected[{d, South}] = 8 * (4 * 4 / 8) * part;
    }
    EXPECT_EQ(on_mesh(ops::all_to_all::op(), mesh, {4 * 32, 1024}, [](GroupRun&) {}), expected);
}

// Eight in a row: the tensor goes from 4 to 0 by the link from 3, …; D − 1 links in each direction.
TEST(TreesBytes, OfBroadcastPassEveryLinkOnce) {
    const MeshSpec mesh{{1, 8}, Topology::Line, "wormhole_n150"};
    LinkBytes expected;
    // 0 → 4, 0 → 2 and 4 → 6, then neighbours: hops overlap.
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t d = from; d < to; ++d) {
            expected[{d, East}] += 16 * kUnitBytes;
        }
    };
    add(0, 4);
    add(0, 2);
    add(4, 6);
    for (const std::uint32_t near : {0U, 2U, 4U, 6U}) {
        add(near, near + 1);
    }
    EXPECT_EQ(on_mesh(ops::broadcast::op(), mesh, {16, 1024},
                      [](GroupRun& run) {
                          run.params<ops::broadcast::BroadcastSpec>() = {
                              .algorithm = ops::exchange::Travel::Tree};
                      }),
              expected);
}

}  // namespace
}  // namespace tessera
