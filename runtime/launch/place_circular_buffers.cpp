// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/place_circular_buffers.hpp"

#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"

namespace tessera {
namespace {

void place_index(Core& core, std::uint8_t index, DataFormat format, std::uint32_t address,
                 const CircularBufferConfig& config) {
    const std::uint32_t page_size = config.page_sizes.at(index);
    core.circular_buffers[index] = {
        .address = address,
        .size = config.total_size,
        .page_size = page_size,
        .num_pages = config.total_size / page_size,
        .format = format,
        .tile = config.tile_of(index),
        .is_over_buffer = config.globally_allocated_address.has_value()};
    for (const auto& thread : core.threads) {
        if (thread) {
            thread->cb[index] = {.fifo_size = config.total_size,
                                 .fifo_limit = address + config.total_size,
                                 .fifo_page_size = page_size,
                                 .fifo_num_pages = config.total_size / page_size,
                                 .fifo_rd_ptr = address,
                                 .fifo_wr_ptr = address};
        }
    }
}

}  // namespace

void place_circular_buffers(const Program& program, const L1Layout& layout, Device& device) {
    for (std::size_t i = 0; i < program.circular_buffers.size(); ++i) {
        const auto& [cores, config] = program.circular_buffers[i];
        for (const CoreCoord core : cores.cores()) {
            for (const auto& [index, format] : config.formats) {
                place_index(device.core(core), index, format, layout[i], config);
            }
        }
    }
}

}  // namespace tessera
