// SPDX-License-Identifier: Apache-2.0
// Runs kernels/sender.cpp on device 1 of a line of four, and kernels/receiver.cpp on receivers.
#pragma once

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/unit/emu/api/fabric/link_ends.hpp"

namespace tessera::testing {

/// Values match kernels/sender.cpp.
enum class Scenario : std::uint32_t {
    WriteThenIncrement,
    Fused,
    FusedFlushedSource,
    InlineWrite,
    PayloadBehindHeader,
    TwoDevicesOneLink,
    Scatter,
    ScatterOfFour,
    MulticastFused,
    MulticastScatter,
    MulticastInline,
    HandshakesInHalves,
    KeptHeader,
    NotOpen,
    OpenTwice,
    NotClosed,
    NoSlot,
    SlotUsedTwice,
    TwoPayloads,
    CloseBeforeHeader,
    NoRoute,
    ZeroHops,
    WrongSize,
    UnalignedSource,
    UnalignedDestination,
    UnalignedSemaphore,
    SemaphoreInDram,
    OutsideL1,
    TooManyHeaders,
    UnalignedHeader,
    OneChunk,
    ChunksBeyondPayload,
    ChunkMisplaced,
    EmptyRange,
    RangeTooFar,
    SparseRoute,
    FinishWithoutStart,
    SlotBeforeFinish,
};

class FabricRun {
public:
    static constexpr std::uint32_t kSource = LinkEnds::kSource;
    static constexpr std::uint32_t kDestination = LinkEnds::kDestination;
    static constexpr std::uint32_t kSender = 1;

    explicit FabricRun(const SessionOptions& options = {.threads = 1})
        : ends_({.shape = {1, 4}, .topology = Topology::Line, .device = "test_arch"}, options) {}

    LinkDirection direction = LinkDirection::East;
    std::uint32_t hops = 1;
    std::uint32_t range = 1;  ///< devices of a multicast
    std::uint32_t size = 64;
    std::vector<std::uint32_t> receivers;

    LaunchResult launch(Scenario scenario) {
        std::vector<std::uint8_t> payload(size);
        std::iota(payload.begin(), payload.end(), std::uint8_t{1});
        std::memcpy(ends_.l1(kSender, kSource), payload.data(), size);
        std::vector<DeviceProgram> programs;
        programs.push_back({kSender, sender(scenario)});
        for (const std::uint32_t device : receivers) {
            std::memset(ends_.l1(device, kDestination), 0xEE, size);
            programs.push_back({device, LinkEnds::receiver(size)});
        }
        return ends_.session.launch("fabric", programs);
    }

    /// Returns the trace of the launches; requires TraceMode::On.
    [[nodiscard]] const Trace& trace() const { return ends_.session.trace(); }

    /// Returns the payload that a receiver read when the increment arrived.
    [[nodiscard]] std::vector<std::uint8_t> seen(std::uint32_t device) {
        std::vector<std::uint8_t> bytes(size);
        std::memcpy(bytes.data(), ends_.l1(device, LinkEnds::kCopy), size);
        return bytes;
    }
    /// Returns the bytes at the destination after the launch.
    [[nodiscard]] std::vector<std::uint8_t> at_destination(std::uint32_t device) {
        std::vector<std::uint8_t> bytes(size);
        std::memcpy(bytes.data(), ends_.l1(device, kDestination), size);
        return bytes;
    }
    [[nodiscard]] std::vector<std::uint8_t> payload() const {
        std::vector<std::uint8_t> bytes(size);
        std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
        return bytes;
    }

private:
    Program sender(Scenario scenario) const {
        std::vector<std::uint32_t> args{static_cast<std::uint32_t>(scenario),
                                        hops,
                                        kSource,
                                        kDestination,
                                        size,
                                        LinkEnds::kSemaphoreId,
                                        range};
        return LinkEnds::sender("sender.cpp", direction, std::move(args));
    }

    LinkEnds ends_;
};

}  // namespace tessera::testing
