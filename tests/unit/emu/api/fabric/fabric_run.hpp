// SPDX-License-Identifier: Apache-2.0
// Runs kernels/sender.cpp on device 1 of a line of four and kernels/receiver.cpp on others.
#pragma once

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "emu/mesh/mesh.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/fabric_args.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::testing {

/// As in kernels/sender.cpp.
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
};

class FabricRun {
public:
    static constexpr std::uint32_t kSource = 200000;
    static constexpr std::uint32_t kDestination = 210000;
    static constexpr std::uint32_t kCopy = 220000;
    static constexpr std::uint32_t kSender = 1;

    explicit FabricRun(const SessionOptions& options = {.threads = 1})
        : session_({.shape = {1, 4}, .topology = Topology::Line, .device = "test_arch"},
                   small_arch(), options) {}

    LinkDirection direction = LinkDirection::East;
    std::uint32_t hops = 1;
    std::uint32_t range = 1;  ///< devices of a multicast
    std::uint32_t size = 64;
    std::vector<std::uint32_t> receivers;

    LaunchResult launch(Scenario scenario) {
        std::vector<std::uint8_t> payload(size);
        std::iota(payload.begin(), payload.end(), std::uint8_t{1});
        std::memcpy(l1(kSender, kSource), payload.data(), size);
        std::vector<DeviceProgram> programs;
        programs.push_back({kSender, sender(scenario)});
        for (const std::uint32_t device : receivers) {
            std::memset(l1(device, kDestination), 0xEE, size);
            programs.push_back({device, receiver()});
        }
        return session_.launch("fabric", programs);
    }

    /// What launches recorded, with TraceMode::On.
    [[nodiscard]] const Trace& trace() const { return session_.trace(); }

    /// What a receiver saw when the count came.
    [[nodiscard]] std::vector<std::uint8_t> seen(std::uint32_t device) {
        std::vector<std::uint8_t> bytes(size);
        std::memcpy(bytes.data(), l1(device, kCopy), size);
        return bytes;
    }
    /// What lies there behind the launch.
    [[nodiscard]] std::vector<std::uint8_t> at_destination(std::uint32_t device) {
        std::vector<std::uint8_t> bytes(size);
        std::memcpy(bytes.data(), l1(device, kDestination), size);
        return bytes;
    }
    [[nodiscard]] std::vector<std::uint8_t> payload() const {
        std::vector<std::uint8_t> bytes(size);
        std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
        return bytes;
    }

private:
    static constexpr const char* kFolder = TESSERA_SOURCE_DIR "/tests/unit/emu/api/fabric/kernels/";

    std::byte* l1(std::uint32_t device, std::uint32_t address) {
        return session_.emulated_mesh().device(device).core({0, 0}).l1(address);
    }
    Program sender(Scenario scenario) const {
        Program program = CreateProgram();
        const std::uint32_t semaphore = CreateSemaphore(program, CoreCoord{0, 0}, 0);
        const KernelHandle kernel = CreateKernel(program, std::string(kFolder) + "sender.cpp",
                                                 CoreCoord{0, 0}, WriterDataMovementConfig());
        std::vector<std::uint32_t> args{static_cast<std::uint32_t>(scenario),
                                        hops,
                                        kSource,
                                        kDestination,
                                        size,
                                        semaphore,
                                        range};
        append_fabric_connection_rt_args(direction, 0, program, {0, 0}, args);
        SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, args);
        return program;
    }
    Program receiver() const {
        Program program = CreateProgram();
        const std::uint32_t semaphore = CreateSemaphore(program, CoreCoord{0, 0}, 0);
        const KernelHandle kernel = CreateKernel(program, std::string(kFolder) + "receiver.cpp",
                                                 CoreCoord{0, 0}, ReaderDataMovementConfig());
        SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {kDestination, kCopy, size, semaphore});
        return program;
    }

    EmulatedSession session_;
};

}  // namespace tessera::testing
