// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/unit/emu/api/fabric/mux_run.hpp"

namespace tessera {
namespace {

using testing::MuxRun;
using enum FabricMuxChannelType;

std::string detail_of(MuxRun& run) {
    try {
        run.launch();
    } catch (const KernelError& error) {
        EXPECT_EQ(error.category(), FaultCategory::UndefinedBehavior);
        EXPECT_NE(error.where().line, 0U);
        return error.detail();
    }
    return "no error";
}

TEST(FabricMuxErrors, ABufferElsewhereThanTheMuxHasItIsRefused) {
    MuxRun run;
    run.workers[1].moved = 16;

    EXPECT_EQ(
        detail_of(run),
        "fabric_client_connect: channel 1 of the mux on core (0,0) has 2 buffers of 128 bytes "
        "at 0x495d0, the connection says 2 of 128 bytes at 0x495e0");
}

TEST(FabricMuxErrors, APayloadThroughAHeaderOnlyChannelIsRefused) {
    MuxRun run;
    run.workers[2].bytes = 16;

    EXPECT_EQ(
        detail_of(run),
        "send_payload_flush_blocking_from_address: a payload of 16 bytes and its header of 64 "
        "exceed a buffer of the mux's channel, 64 bytes");
}

TEST(FabricMuxErrors, ACoreWithoutAKernelIsNoMux) {
    MuxRun run;
    run.has_mux = false;

    EXPECT_EQ(detail_of(run),
              "wait_for_fabric_endpoint_ready: no kernel runs on core (0,0), where the mux is to "
              "be");
}

std::string refusal_of(std::uint8_t full, std::uint8_t header, std::uint8_t buffers,
                       std::size_t size, std::size_t base) {
    try {
        const FabricMuxConfig mux(full, header, buffers, buffers, size, base);
        static_cast<void>(mux.get_channel_base_address(FULL_SIZE_CHANNEL, 4));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(FabricMuxErrors, WhatNoMuxCanBeIsRefused) {
    EXPECT_EQ(refusal_of(0, 0, 8, 128, 1024), "FabricMuxConfig: a mux without a channel");
    EXPECT_EQ(refusal_of(0, 1, 0, 128, 1024),
              "FabricMuxConfig: 1 header-only channels without a buffer");
    EXPECT_EQ(refusal_of(1, 0, 8, 72, 1024),
              "FabricMuxConfig: a buffer of 72 bytes; a multiple of 16 above 64 holds a packet");
    EXPECT_EQ(refusal_of(1, 0, 8, 128, 1028),
              "FabricMuxConfig: base address 0x404 is not a multiple of 16");
    EXPECT_EQ(refusal_of(2, 0, 8, 128, 1024),
              "FabricMuxConfig: there is no full-size channel 4, the mux has 2");
}

}  // namespace
}  // namespace tessera
