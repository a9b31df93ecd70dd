// SPDX-License-Identifier: Apache-2.0
// A mesh whose cores (0,0) send over a link or run kernels/receiver.cpp, and the addresses of
// payloads on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/mesh/mesh.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/fabric_args.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::testing {

struct LinkEnds {
    static constexpr std::uint32_t kSource = 200000;
    static constexpr std::uint32_t kDestination = 210000;
    static constexpr std::uint32_t kCopy = 220000;
    static constexpr std::uint32_t kSemaphoreId = 0;  ///< at either end

    EmulatedSession session;

    LinkEnds(const MeshSpec& mesh, const SessionOptions& options)
        : session(mesh, small_arch(), options) {}

    std::byte* l1(std::uint32_t device, std::uint32_t address) {
        return session.emulated_mesh().device(device).core({0, 0}).l1(address);
    }
    /// Returns a kernel of this folder with `args`, followed by a connection of link 0.
    static Program sender(const std::string& kernel, LinkDirection direction,
                          std::vector<std::uint32_t> args) {
        Program program = CreateProgram();
        const KernelHandle handle = create(program, kernel, WriterDataMovementConfig());
        append_fabric_connection_rt_args(direction, 0, program, {0, 0}, args);
        SetRuntimeArgs(program, handle, CoreCoord{0, 0}, args);
        return program;
    }
    /// Returns a program that copies the payload when its increment has arrived.
    static Program receiver(std::uint32_t size) {
        Program program = CreateProgram();
        const KernelHandle handle = create(program, "receiver.cpp", ReaderDataMovementConfig());
        SetRuntimeArgs(program, handle, CoreCoord{0, 0}, {kDestination, kCopy, size, kSemaphoreId});
        return program;
    }

private:
    static KernelHandle create(Program& program, const std::string& kernel,
                               const DataMovementConfig& config) {
        CreateSemaphore(program, CoreCoord{0, 0}, 0);
        return CreateKernel(program,
                            TESSERA_SOURCE_DIR "/tests/unit/emu/api/fabric/kernels/" + kernel,
                            CoreCoord{0, 0}, config);
    }
};

}  // namespace tessera::testing
