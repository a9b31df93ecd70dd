// SPDX-License-Identifier: Apache-2.0
// Runs a mux on core (0,0) of device 0 and kernels/mux_worker.cpp on three other cores. Two have
// full-size channels, the last one has a header-only channel.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "emu/mesh/mesh.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/fabric_mux.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::testing {

/// Parameters of a worker's connection, correct or wrong.
struct MuxWorker {
    CoreCoord core;
    FabricMuxChannelType type = FabricMuxChannelType::FULL_SIZE_CHANNEL;
    std::uint8_t channel = 0;
    std::uint32_t bytes = 0;  ///< per payload
    std::uint32_t moved = 0;  ///< added to the channel's address
};

class MuxRun {
public:
    static constexpr std::uint32_t kPackets = 3;
    static constexpr std::uint32_t kBytes = 64;
    static constexpr CoreCoord kMux{0, 0};

    explicit MuxRun(const SessionOptions& options = {.threads = 1})
        : session_({.shape = {1, 2}, .topology = Topology::Line, .device = "test_arch"},
                   small_arch(), options) {}

    std::array<MuxWorker, 3> workers{
        MuxWorker{{1, 0}, FabricMuxChannelType::FULL_SIZE_CHANNEL, 0, kBytes},
        MuxWorker{{0, 1}, FabricMuxChannelType::FULL_SIZE_CHANNEL, 1, kBytes},
        MuxWorker{{1, 1}, FabricMuxChannelType::HEADER_ONLY_CHANNEL, 0, 0}};
    bool has_mux = true;

    LaunchResult launch() {
        for (const MuxWorker& worker : workers) {
            std::memset(l1(1, worker.core, kDestination), 0, std::size_t{kPackets} * kBytes);
            std::memset(l1(1, worker.core, counter()), 0, 4);
            std::memcpy(l1(0, worker.core, kSource), payload(worker).data(),
                        std::size_t{kPackets} * kBytes);
        }
        const std::vector<DeviceProgram> programs{{0, program()}};
        return session_.launch("mux", programs);
    }

    [[nodiscard]] static std::vector<std::uint8_t> payload(const MuxWorker& worker) {
        std::vector<std::uint8_t> bytes(std::size_t{kPackets} * kBytes);
        std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(worker.core.x * 16 + 1));
        return bytes;
    }
    /// Returns the payload on the next device after the launch.
    [[nodiscard]] std::vector<std::uint8_t> arrived(const MuxWorker& worker) {
        std::vector<std::uint8_t> bytes(std::size_t{kPackets} * kBytes);
        std::memcpy(bytes.data(), l1(1, worker.core, kDestination), bytes.size());
        return bytes;
    }
    [[nodiscard]] std::uint32_t counted(const MuxWorker& worker) {
        std::uint32_t count = 0;
        std::memcpy(&count, l1(1, worker.core, counter()), 4);
        return count;
    }
    [[nodiscard]] const Trace& trace() const { return session_.trace(); }

private:
    static constexpr std::uint32_t kSource = 200000;
    static constexpr std::uint32_t kDestination = 210000;

    std::byte* l1(std::uint32_t device, CoreCoord core, std::uint32_t address) {
        return session_.emulated_mesh().device(device).core(core).l1(address);
    }
    // Returns the first semaphore of a core.
    static std::uint32_t counter() {
        return static_cast<std::uint32_t>(small_arch().l1.semaphores.value);
    }

    Program program() {
        Program program = CreateProgram();
        const FabricMuxConfig mux(2, 1, 2, 4, 64 + kBytes, 300000);
        if (has_mux) {
            const KernelHandle kernel =
                CreateKernel(program, kFabricMuxKernel, kMux,
                             WriterDataMovementConfig(mux.get_fabric_mux_compile_time_args()));
            SetRuntimeArgs(program, kernel, kMux,
                           mux.get_fabric_mux_run_time_args(session_.emulated_mesh().spec(), 0, 1,
                                                            0, program, kMux));
        }
        const KernelHandle kernel = CreateKernel(
            program, TESSERA_SOURCE_DIR "/tests/unit/emu/api/fabric/kernels/mux_worker.cpp",
            CoreRangeSet({CoreRange{{1, 0}, {1, 1}}, CoreRange{{0, 1}, {0, 1}}}),
            ReaderDataMovementConfig());
        for (const MuxWorker& worker : workers) {
            const std::uint32_t counted = CreateSemaphore(program, worker.core, 0);
            const std::uint32_t done = CreateSemaphore(program, worker.core, 0);
            SetRuntimeArgs(program, kernel, worker.core, args(mux, worker, counted, done));
        }
        return program;
    }
    std::vector<std::uint32_t> args(const FabricMuxConfig& mux, const MuxWorker& worker,
                                    std::uint32_t counted, std::uint32_t done) const {
        const CoreCoord origin = small_arch().workers.virtual_origin;
        const CoreCoord first = workers[0].core;
        const auto word = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
        return {origin.x + kMux.x,
                origin.y + kMux.y,
                word(mux.get_channel_credits_stream_id(worker.type, worker.channel)),
                mux.get_num_buffers(worker.type),
                word(mux.get_buffer_size_bytes(worker.type)),
                word(mux.get_channel_base_address(worker.type, worker.channel)) + worker.moved,
                word(mux.get_status_address()),
                word(mux.get_termination_signal_address()),
                kSource,
                kDestination,
                worker.bytes,
                kPackets,
                counted,
                done,
                word(workers.size()) - 1,
                origin.x + first.x,
                origin.y + first.y};
    }

    EmulatedSession session_;
};

}  // namespace tessera::testing
