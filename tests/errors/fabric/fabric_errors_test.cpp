// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/unit/emu/api/fabric/fabric_run.hpp"

namespace tessera {
namespace {

using testing::FabricRun;
using testing::Scenario;

struct Mistake {
    Scenario scenario;
    const char* name;
    FaultCategory category;
    const char* detail;
};

KernelError error_of(FabricRun& run, Scenario scenario) {
    try {
        run.launch(scenario);
    } catch (const KernelError& error) {
        return error;
    }
    return {FaultCategory::Untested, {}, "no error"};
}

class FabricMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(FabricMistake, IsRefusedWithItsReason) {
    FabricRun run;

    const KernelError error = error_of(run, GetParam().scenario);

    EXPECT_EQ(error.category(), GetParam().category);
    EXPECT_EQ(error.detail(), GetParam().detail);
    EXPECT_EQ(error.where().device, 1U);
    EXPECT_NE(error.where().line, 0U);
}

constexpr FaultCategory kUndefined = FaultCategory::UndefinedBehavior;
constexpr FaultCategory kBounds = FaultCategory::OutOfBounds;

INSTANTIATE_TEST_SUITE_P(
    Kernels, FabricMistake,
    ::testing::Values(
        Mistake{Scenario::NotOpen, "NotOpen", kUndefined,
                "wait_for_empty_write_slot: the connection over link 0 to the east is not open: "
                "open comes first"},
        Mistake{Scenario::OpenTwice, "OpenTwice", kUndefined,
                "open: the kernel already has an open connection over link 0 to the east"},
        Mistake{Scenario::FinishWithoutStart, "FinishWithoutStart", kUndefined,
                "open_finish: the connection over link 0 to the east has no handshake to wait for: "
                "open_start comes first"},
        Mistake{Scenario::SlotBeforeFinish, "SlotBeforeFinish", kUndefined,
                "wait_for_empty_write_slot: the handshake of the connection over link 0 to the "
                "east is not over: open_finish or close_finish comes first"},
        Mistake{Scenario::NotClosed, "NotClosed", kUndefined,
                "the kernel ends with this fabric connection still open: close is missing"},
        Mistake{Scenario::NoSlot, "NoSlot", kUndefined,
                "send_payload_without_header_non_blocking_from_address: no slot of the link was "
                "waited for: wait_for_empty_write_slot comes before each packet"},
        Mistake{Scenario::SlotUsedTwice, "SlotUsedTwice", kUndefined,
                "send_payload_without_header_non_blocking_from_address: no slot of the link was "
                "waited for: wait_for_empty_write_slot comes before each packet"},
        Mistake{Scenario::TwoPayloads, "TwoPayloads", kUndefined,
                "send_payload_without_header_non_blocking_from_address: the packet already has a "
                "payload of 64 bytes; its header comes next"},
        Mistake{Scenario::CloseBeforeHeader, "CloseBeforeHeader", kUndefined,
                "close: 64 bytes of payload were sent without the header of their packet"},
        Mistake{Scenario::NoRoute, "NoRoute", kUndefined,
                "send_payload_flush_blocking_from_address: the packet header has no route: "
                "fabric_set_unicast_route, to_chip_unicast, to_chip_multicast or "
                "fabric_set_mcast_route gives one"},
        Mistake{Scenario::ZeroHops, "ZeroHops", kBounds,
                "a route of 0 hops: a packet header holds 1 to 32"},
        Mistake{Scenario::WrongSize, "WrongSize", kUndefined,
                "send_payload_flush_blocking_from_address: the packet header says 80 bytes of "
                "payload, the sender gave 64"},
        Mistake{Scenario::UnalignedSource, "UnalignedSource", kUndefined,
                "send_payload_flush_blocking_from_address: source address 0x30d44 is not a "
                "multiple of 16"},
        Mistake{Scenario::UnalignedDestination, "UnalignedDestination", kUndefined,
                "send_payload_flush_blocking_from_address: destination address 0x33454 is not a "
                "multiple of 16"},
        Mistake{Scenario::UnalignedSemaphore, "UnalignedSemaphore", kUndefined,
                "send_payload_flush_blocking_from_address: address 0xa002 is not a multiple of 4"},
        Mistake{Scenario::SemaphoreInDram, "SemaphoreInDram", kUndefined,
                "send_payload_flush_blocking_from_address: address 0x400 lies in DRAM"},
        Mistake{Scenario::OutsideL1, "OutsideL1", kBounds,
                "send_payload_flush_blocking_from_address: 64 bytes at 0x1000000 leave the L1 of "
                "core (0,0), which has 1499136 bytes"},
        Mistake{Scenario::TooManyHeaders, "TooManyHeaders", kBounds,
                "PacketHeaderPool::allocate_header: 3 more headers, but 10 of this processor's 12 "
                "are taken"},
        Mistake{Scenario::UnalignedHeader, "UnalignedHeader", kUndefined,
                "send_payload_flush_blocking_from_address: 64 bytes at 0x9288 are no packet "
                "header, which takes 64 bytes from a multiple of 16"},
        Mistake{Scenario::OneChunk, "OneChunk", kUndefined,
                "NocUnicastScatterCommandHeader: 1 addresses and 0 chunk sizes; 2 to 4 addresses, "
                "and a size for each but the last, are possible"},
        Mistake{Scenario::ChunksBeyondPayload, "ChunksBeyondPayload", kUndefined,
                "send_payload_flush_blocking_from_address: a payload of 32 bytes in 2 chunks, 32 "
                "bytes before the last one; 2 to 4 chunks of at least a byte each are possible"},
        Mistake{Scenario::ChunkMisplaced, "ChunkMisplaced", kUndefined,
                "send_payload_flush_blocking_from_address: destination address 0x33478 and the "
                "chunk's place in the payload, 32, differ modulo 16"},
        Mistake{Scenario::EmptyRange, "EmptyRange", kBounds,
                "to_chip_multicast: 0 devices from 1 hops away on; both are at least 1, and a "
                "packet header holds 32 hops"},
        Mistake{Scenario::RangeTooFar, "RangeTooFar", kBounds,
                "to_chip_multicast: 32 devices from 2 hops away on; both are at least 1, and a "
                "packet header holds 32 hops"},
        Mistake{Scenario::SparseRoute, "SparseRoute", FaultCategory::Unimplemented,
                "send_payload_flush_blocking_from_address: the packet is written 1 hops away and "
                "passes the next device by; devices of a multicast follow each other"}),
    [](const auto& row) { return row.param.name; });

TEST(FabricErrors, ARouteThatLeavesTheMeshNamesIt) {
    FabricRun run;
    run.hops = 3;

    const KernelError error = error_of(run, Scenario::Fused);

    EXPECT_EQ(error.category(), kBounds);
    EXPECT_EQ(error.detail(),
              "send_payload_flush_blocking_from_address: 3 hops east of device 1 lies outside the "
              "mesh of 1×4 devices (line)");
}

TEST(FabricErrors, APayloadBeyondTheLargestPacketNamesBothSizes) {
    FabricRun run;
    run.size = 7632;

    const KernelError error = error_of(run, Scenario::Fused);

    EXPECT_EQ(error.category(), kUndefined);
    EXPECT_EQ(error.detail(),
              "send_payload_flush_blocking_from_address: a payload of 7632 bytes exceeds the "
              "largest packet, 7616 bytes");
}

TEST(FabricErrors, ALinkThatADeviceDoesNotHaveIsRefused) {
    Program program = CreateProgram();
    std::vector<std::uint32_t> args;

    try {
        append_fabric_connection_rt_args(LinkDirection::North, 4, program, {0, 0}, args);
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "append_fabric_connection_rt_args: link 4 of north: a device has links 0 to 3 "
                     "in each direction");
    }
}

TEST(FabricErrors, DevicesWithoutAStraightRouteAreRefused) {
    Program program = CreateProgram();
    std::vector<std::uint32_t> args;
    const MeshSpec mesh{.shape = {2, 2}, .topology = Topology::Line, .device = "test_arch"};

    try {
        append_fabric_connection_rt_args(mesh, 0, 3, 0, program, {0, 0}, args);
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "append_fabric_connection_rt_args: no straight run of links leads from device "
                     "0 to device 3 of a 2×2 mesh");
    }
}

}  // namespace
}  // namespace tessera
