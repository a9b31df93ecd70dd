// SPDX-License-Identifier: Apache-2.0
// Refusals of collectives and dispatch, and their messages.
#include <gmock/gmock.h>

#include "ops/all_gather/all_gather.hpp"
#include "ops/all_reduce/all_reduce.hpp"
#include "ops/all_to_all/all_to_all.hpp"
#include "ops/broadcast/broadcast.hpp"
#include "ops/moe_dispatch/moe_dispatch.hpp"
#include "ops/moe_dispatch_batched/moe_dispatch_batched.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "tests/ops/collectives/group_run.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/held_values.hpp"

namespace tessera {
namespace {

using testing::GroupRun;
using testing::host_tensor;

const MeshSpec kMesh{{2, 4}, Topology::Line, "wormhole_n150"};

GroupRun gather(std::vector<std::uint32_t> devices, ops::all_gather::Algorithm algorithm,
                const Shape& input = {4, 64}) {
    GroupRun run(ops::all_gather::op(), kMesh, std::move(devices));
    run.params<ops::all_gather::Schedule>().algorithm = algorithm;
    run.add(make_host_tensor(input, DataFormat::Float16_b));
    return run;
}

TEST(CollectiveErrors, RowsAndColumnsAreOfTheMesh) {
    EXPECT_EQ(gather({0, 1, 6}, ops::all_gather::Algorithm::RowsColumns).message(),
              "devices [0, 1, 6] are not all devices of some rows and columns of the mesh of 2x4, "
              "which rows_columns takes");
}

TEST(CollectiveErrors, PacketsHoldSoManyTiles) {
    GroupRun run = gather({0, 1}, ops::all_gather::Algorithm::Ring);
    run.params<ops::all_gather::Schedule>().packet_tiles = 4;
    EXPECT_EQ(run.message(), "packet_tiles is 4; a packet of 7616 B holds 1 to 3");
}

// 3·256 + 2 slots of three tiles, and eight blocks of the device itself.
TEST(CollectiveErrors, SlotsFitIntoL1) {
    GroupRun run = gather({0, 1}, ops::all_gather::Algorithm::Ring);
    run.params<ops::all_gather::Schedule>().chunk_packets = 256;
    EXPECT_EQ(run.message(),
              "chunk_packets 256 takes 5591040 B of circular buffers; a core has 1395424 B of L1 "
              "for them");
}

TEST(CollectiveErrors, ADirectionHasFourLinks) {
    GroupRun run = gather({0, 1}, ops::all_gather::Algorithm::Ring);
    run.params<ops::all_gather::Schedule>().links = 5;
    EXPECT_EQ(run.message(), "links is 5; a direction has 1 to 4");
}

TEST(CollectiveErrors, PagesTakeNoCounts) {
    GroupRun run = gather({0, 1, 2, 3}, ops::all_gather::Algorithm::Pages);
    run.add(host_tensor<std::uint32_t>({4}, DataFormat::UInt32, {1, 2, 3, 4}));
    EXPECT_EQ(
        run.message().substr(0, 83),
        "algorithm is pages, which takes no counts; ring, bidirectional, line and rows_colum");
}

TEST(CollectiveErrors, ReduceScatterOfALineTakesTiles) {
    GroupRun run(ops::reduce_scatter::op(), {{1, 2}, Topology::Line, ""}, {0, 1});
    run.add(make_host_tensor({64, 64}, DataFormat::Float16_b));
    EXPECT_EQ(
        run.message(),
        "algorithm is line, which takes TILE; ring, bidirectional and rows_columns take both");
}

TEST(CollectiveErrors, PartsGoForwardOnASingleRowOrColumn) {
    GroupRun run(ops::all_to_all::op(), kMesh, {0, 1});
    run.params<ops::all_to_all::AllToAllSpec>().opposite = ops::all_to_all::Opposite::Forward;
    run.add(make_host_tensor({4, 64}, DataFormat::Float16_b));
    EXPECT_EQ(run.message(),
              "opposite is forward on a mesh of 2x4; it is of a single row or column");
}

TEST(CollectiveErrors, TheRootIsInTheGroup) {
    GroupRun run(ops::broadcast::op(), kMesh, {0, 1});
    run.params<ops::broadcast::BroadcastSpec>().root = 2;
    run.add(make_host_tensor({4, 64}, DataFormat::Float16_b));
    EXPECT_EQ(run.message(), "root is 2; the group has positions 0 to 1");
}

std::string checked(const ops::Op& op, ops::ParameterRef parameters,
                    const std::vector<std::vector<HostTensor>>& inputs) {
    const testing::HeldStep step(parameters, inputs, {});
    return usage_error_message([&] { op.check_values(step.at()); });
}

TEST(CollectiveErrors, CountsAreAtMostTheRowsOfAPart) {
    const HostTensor input = make_host_tensor({4, 64}, DataFormat::Float16_b);
    const HostTensor counts = host_tensor<std::uint32_t>({2}, DataFormat::UInt32, {4, 5});
    EXPECT_EQ(checked(ops::all_gather::op(), nullptr, {{input, input}, {counts, counts}}),
              "all_gather: counts[1] is 5; a device's part has 0 to 4 rows");
}

TEST(CollectiveErrors, NoDeviceReceivesMoreThanItsTensorHolds) {
    const HostTensor input = make_host_tensor({4, 64}, DataFormat::Float16_b);
    const HostTensor counts = host_tensor<std::uint32_t>({2, 2}, DataFormat::UInt32, {1, 3, 1, 3});
    EXPECT_EQ(checked(ops::all_to_all::op(), nullptr, {{input, input}, {counts, counts}}),
              "all_to_all: counts let device 1 send 4 and receive 6 rows; tensors have 4");
}

GroupRun dispatch(std::uint32_t experts) {
    GroupRun run(ops::moe_dispatch::op(), kMesh, {0, 1, 2});
    run.params<ops::token_exchange::DispatchSpec>().experts = experts;
    run.add(make_host_tensor({4, 64}, DataFormat::Float16_b));
    return run;
}

TEST(DispatchErrors, DevicesHaveAsManyExpertsEach) {
    GroupRun run = dispatch(8);
    run.add(make_host_tensor({4, 2}, DataFormat::Int32));
    run.add(make_host_tensor({4, 2}, DataFormat::Float32));
    EXPECT_EQ(run.message(), "experts is 8; allowed: a multiple of 3, as many on each device");
}

TEST(DispatchErrors, IdsAreOfTheTypeThatItTakes) {
    GroupRun run = dispatch(9);
    run.add(make_host_tensor({4, 2}, DataFormat::UInt16));
    run.add(make_host_tensor({4, 2}, DataFormat::Float32));
    EXPECT_EQ(run.message(),
              "topk_ids is (4,2) uint16 ROW_MAJOR; allowed: (4,2) int32 | uint32 ROW_MAJOR");
}

TEST(DispatchErrors, IdsAreExperts) {
    const ops::token_exchange::DispatchSpec spec{.experts = 4};
    const HostTensor tokens = make_host_tensor({2, 64}, DataFormat::Float16_b);
    const HostTensor ids = host_tensor<std::int32_t>({2, 2}, DataFormat::Int32, {0, -1, 4, 1});
    const HostTensor weights = make_host_tensor({2, 2}, DataFormat::Float32);
    EXPECT_EQ(checked(ops::moe_dispatch::op(), &spec, {{tokens}, {ids}, {weights}}),
              "moe_dispatch: topk_ids(1,0) is 4; allowed: -1 (none) and 0 to 3");
}

TEST(DispatchErrors, ABatchHasOneRowOfAToken) {
    const ops::token_exchange::DispatchSpec spec{.experts = 4};
    const HostTensor tokens = make_host_tensor({2, 64}, DataFormat::Float16_b);
    const HostTensor ids =
        host_tensor<std::int32_t>({2, 3}, DataFormat::Int32, {0, -1, -1, 2, 1, 2});
    const HostTensor weights = make_host_tensor({2, 3}, DataFormat::Float32);
    EXPECT_EQ(checked(ops::moe_dispatch_batched::op(), &spec, {{tokens}, {ids}, {weights}}),
              "moe_dispatch_batched: topk_ids(1,2) is 2, as is topk_ids(1,0); a token selects an "
              "expert once");
    EXPECT_EQ(checked(ops::moe_dispatch::op(), &spec, {{tokens}, {ids}, {weights}}),
              "(nothing thrown)");
}

/// Returns the error of a run in which four tokens of each of two devices all choose expert 2.
std::string message_of_excess(const ops::token_exchange::DispatchSpec& spec) {
    const MeshSpec mesh{{1, 2}, Topology::Line, "wormhole_n150"};
    GroupRun run(ops::moe_dispatch_batched::op(), mesh, {0, 1});
    run.params<ops::token_exchange::DispatchSpec>() = spec;
    run.add(make_host_tensor({4, 64}, DataFormat::Float16_b));
    run.add(host_tensor<std::int32_t>({4, 1}, DataFormat::Int32, {2, 2, 2, 2}));
    run.add(make_host_tensor({4, 1}, DataFormat::Float32));
    try {
        run.launch();
    } catch (const KernelError& error) {
        return error.what();
    }
    return "no error";
}

TEST(DispatchErrors, ACapacityThatIsExceededEndsTheRun) {
    EXPECT_THAT(message_of_excess({.experts = 4, .capacity = 5}),
                ::testing::HasSubstr("!exceeds_the_capacity_of_its_receiver)"));
}

// Eight rows would fit; three rows per sender do not hold four.
TEST(DispatchErrors, InOnePhaseACapacityIsOfEachSender) {
    EXPECT_THAT(message_of_excess(
                    {.experts = 4, .capacity = 3, .phases = ops::token_exchange::Phases::One}),
                ::testing::HasSubstr("!exceeds_the_capacity_of_its_sender_at_the_receiver)"));
}

}  // namespace
}  // namespace tessera
