// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/l1_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "tessera/errors.hpp"

namespace tessera {

std::string indices_of(const CircularBufferConfig& config) {
    std::string text;
    for (const auto& [index, format] : config.formats) {
        text += fmt::format("{}{}", text.empty() ? "" : "+", index);
    }
    return text;
}

namespace {

// TT-Metalium aligns circular buffers to the DRAM alignment, so that DRAM reads may land in them.
std::uint64_t align_up(std::uint64_t address, const ArchSpec& arch) {
    const std::uint64_t alignment = arch.dram.alignment.value;
    return (address + alignment - 1) / alignment * alignment;
}

std::string holders_on(const Program& program, CoreCoord core, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& description = program.circular_buffers[i];
        const bool has_own_l1 = !description.config.globally_allocated_address;
        if (has_own_l1 && description.cores.contains(core)) {
            text += fmt::format("{}cb {} {} B", text.empty() ? "" : ", ",
                                indices_of(description.config), description.config.total_size);
        }
    }
    return text.empty() ? "no other circular buffer" : text;
}

void check_fits(const Program& program, std::size_t i, CoreCoord core, std::uint64_t begin,
                const Device& device) {
    const CircularBufferConfig& config = program.circular_buffers[i].config;
    const std::uint64_t limit = device.l1_allocator.lowest_held();
    const std::uint64_t end = begin + config.total_size;
    if (end <= limit) {
        return;  // before the message is put together, for every core of every launch
    }
    require(false,
            "device {} core {}: circular buffer {} of {} B at {:#x} ends {} B above {:#x}, where "
            "{}; below it lie: {}",
            device.id(), to_string(core), indices_of(config), config.total_size, begin, end - limit,
            limit,
            device.l1_allocator.bytes_held() == 0
                ? "L1 ends"
                : "L1 buffers begin: " + device.l1_allocator.largest_holders(5),
            holders_on(program, core, i));
}

void place_index(Core& core, std::uint8_t index, DataFormat format, std::uint32_t address,
                 const CircularBufferConfig& config) {
    const std::uint32_t page_size = config.page_sizes.at(index);
    core.circular_buffers[index] = {.address = address,
                                    .size = config.total_size,
                                    .page_size = page_size,
                                    .num_pages = config.total_size / page_size,
                                    .format = format,
                                    .tile = config.tile_of(index)};
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

L1Layout lay_out_circular_buffers(const Program& program, const Device& device) {
    L1Layout layout;
    std::map<CoreCoord, std::uint64_t> next;
    const std::uint64_t base = align_up(device.arch().l1.reserved.value, device.arch());
    for (std::size_t i = 0; i < program.circular_buffers.size(); ++i) {
        const auto& [cores, config] = program.circular_buffers[i];
        if (config.globally_allocated_address) {
            layout.push_back(*config.globally_allocated_address);
            continue;
        }
        std::uint64_t address = base;
        for (const CoreCoord core : cores.cores()) {
            address = std::max(address, next.try_emplace(core, base).first->second);
        }
        for (const CoreCoord core : cores.cores()) {
            check_fits(program, i, core, address, device);
            next[core] = align_up(address + config.total_size, device.arch());
        }
        layout.push_back(static_cast<std::uint32_t>(address));
    }
    return layout;
}

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
