// SPDX-License-Identifier: Apache-2.0
// Runs kernels/box_sender.cpp on the device in the middle of 3×3 and kernels/receiver.cpp on
// others.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "emu/mesh/mesh.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/fabric_args.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::testing {

/// Hops of a box, as MeshMcastRange has them.
struct Sides {
    std::uint32_t east = 0;
    std::uint32_t west = 0;
    std::uint32_t north = 0;
    std::uint32_t south = 0;
};

class BoxRun {
public:
    static constexpr std::uint32_t kSender = 4;
    static constexpr std::uint32_t kSize = 64;

    explicit BoxRun(const SessionOptions& options = {.threads = 1})
        : session_({.shape = {3, 3}, .topology = Topology::Line, .device = "test_arch"},
                   small_arch(), options) {}

    /// Devices that wait for the payload's count.
    std::vector<std::uint32_t> receivers;

    LaunchResult launch(LinkDirection direction, const Sides& sides) {
        for (std::uint32_t device = 0; device < 9; ++device) {
            std::memset(l1(device, kDestination), 0xEE, kSize);
        }
        std::memset(l1(kSender, kSource), 0x5A, kSize);
        std::vector<DeviceProgram> programs;
        programs.push_back({kSender, sender(direction, sides)});
        for (const std::uint32_t device : receivers) {
            programs.push_back({device, receiver()});
        }
        return session_.launch("box", programs);
    }

    /// Devices on which the payload lies behind the launch.
    [[nodiscard]] std::vector<std::uint32_t> written() {
        const std::vector<std::byte> payload(kSize, std::byte{0x5A});
        std::vector<std::uint32_t> devices;
        for (std::uint32_t device = 0; device < 9; ++device) {
            if (std::memcmp(l1(device, kDestination), payload.data(), kSize) == 0) {
                devices.push_back(device);
            }
        }
        return devices;
    }

private:
    static constexpr std::uint32_t kSource = 200000;
    static constexpr std::uint32_t kDestination = 210000;
    static constexpr std::uint32_t kCopy = 220000;
    static constexpr const char* kFolder = TESSERA_SOURCE_DIR "/tests/unit/emu/api/fabric/kernels/";

    std::byte* l1(std::uint32_t device, std::uint32_t address) {
        return session_.emulated_mesh().device(device).core({0, 0}).l1(address);
    }
    static Program sender(LinkDirection direction, const Sides& sides) {
        Program program = CreateProgram();
        const std::uint32_t semaphore = CreateSemaphore(program, CoreCoord{0, 0}, 0);
        const KernelHandle kernel = CreateKernel(program, std::string(kFolder) + "box_sender.cpp",
                                                 CoreCoord{0, 0}, WriterDataMovementConfig());
        std::vector<std::uint32_t> args{kSource,    kDestination, kSize,       semaphore,
                                        sides.east, sides.west,   sides.north, sides.south};
        append_fabric_connection_rt_args(direction, 0, program, {0, 0}, args);
        SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, args);
        return program;
    }
    static Program receiver() {
        Program program = CreateProgram();
        const std::uint32_t semaphore = CreateSemaphore(program, CoreCoord{0, 0}, 0);
        const KernelHandle kernel = CreateKernel(program, std::string(kFolder) + "receiver.cpp",
                                                 CoreCoord{0, 0}, ReaderDataMovementConfig());
        SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {kDestination, kCopy, kSize, semaphore});
        return program;
    }

    EmulatedSession session_;
};

}  // namespace tessera::testing
