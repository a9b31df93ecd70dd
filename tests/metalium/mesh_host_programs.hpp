// SPDX-License-Identifier: Apache-2.0
// Shared by the programs that use meshes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tilize_utils.hpp>
#include <tt-metalium/work_split.hpp>
#include <vector>

namespace metalium_programs {

namespace distributed = tt::tt_metal::distributed;

inline constexpr std::uint32_t kTileBytes = 2 * tt::constants::TILE_HW;

inline std::string kernel(const std::string& name) {
    return METALIUM_KERNELS + name;
}

/// Returns a buffer in DRAM with the same tiles on each device.
inline std::shared_ptr<distributed::MeshBuffer> replicated(
    const std::shared_ptr<distributed::MeshDevice>& mesh, std::uint32_t tiles) {
    return distributed::MeshBuffer::create(
        distributed::ReplicatedBufferConfig{.size = std::uint64_t{tiles} * kTileBytes},
        distributed::DeviceLocalBufferConfig{.page_size = kTileBytes,
                                             .buffer_type = tt::tt_metal::BufferType::DRAM},
        mesh.get());
}

inline void add_cb(tt::tt_metal::Program& program, const tt::tt_metal::CoreSpecification& cores,
                   std::uint8_t index, std::uint32_t pages) {
    CreateCircularBuffer(
        program, cores,
        tt::tt_metal::CircularBufferConfig(pages * kTileBytes, {{index, tt::DataFormat::Float16_b}})
            .set_page_size(index, kTileBytes));
}

/// Returns numbers whose element i is i * factor % modulus - shift.
inline std::vector<bfloat16> pattern(std::size_t count, std::size_t factor, std::size_t modulus,
                                     float shift = 0) {
    std::vector<bfloat16> numbers;
    for (std::size_t i = 0; i < count; ++i) {
        numbers.emplace_back(static_cast<float>(i * factor % modulus) - shift);
    }
    return numbers;
}

/// Runs a program on all devices of a mesh.
inline void run_on(const std::shared_ptr<distributed::MeshDevice>& mesh,
                   tt::tt_metal::Program program) {
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh->shape()), std::move(program));
    distributed::EnqueueMeshWorkload(mesh->mesh_command_queue(), workload, false);
    distributed::Finish(mesh->mesh_command_queue());
}

}  // namespace metalium_programs
