// SPDX-License-Identifier: Apache-2.0
// Shared by the programs that use command queues.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tt-metalium/tensor_accessor_args.hpp"
#include "tt_metal/common/bfloat16.hpp"
#include "tt_metal/common/constants.hpp"
#include "tt_metal/detail/tt_metal.hpp"
#include "tt_metal/host_api.hpp"
#include "tt_metal/impl/device/device.hpp"

namespace metalium_programs {

inline constexpr std::uint32_t kTileBytes = 2 * tt::constants::TILE_HW;

/// Returns a kernel's path below tests/metalium/kernels.
inline std::string kernel(const std::string& name) {
    return METALIUM_KERNELS + name;
}

/// A device that is closed at the end of its scope.
struct OpenDevice {
    tt::tt_metal::Device* device = tt::tt_metal::CreateDevice(0);
    ~OpenDevice() { tt::tt_metal::CloseDevice(device); }
};

inline std::shared_ptr<tt::tt_metal::Buffer> dram_buffer(tt::tt_metal::Device* device,
                                                         std::uint32_t bytes,
                                                         std::uint32_t page = kTileBytes) {
    return tt::tt_metal::CreateBuffer(
        tt::tt_metal::InterleavedBufferConfig{.device = device,
                                              .size = bytes,
                                              .page_size = page,
                                              .buffer_type = tt::tt_metal::BufferType::DRAM});
}

inline void add_cb(tt::tt_metal::Program& program, const tt::tt_metal::CoreSpecification& cores,
                   std::uint8_t index, std::uint32_t pages) {
    CreateCircularBuffer(
        program, cores,
        tt::tt_metal::CircularBufferConfig(pages * kTileBytes, {{index, tt::DataFormat::Float16_b}})
            .set_page_size(index, kTileBytes));
}

/// Returns small whole numbers, whose sums bfloat16 holds exactly: element i is i * factor % 61.
inline std::vector<bfloat16> whole_numbers(std::size_t count, std::size_t factor) {
    std::vector<bfloat16> numbers;
    for (std::size_t i = 0; i < count; ++i) {
        numbers.emplace_back(static_cast<float>(i * factor % 61));
    }
    return numbers;
}

}  // namespace metalium_programs
