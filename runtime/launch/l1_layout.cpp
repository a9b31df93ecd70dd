// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/l1_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "emu/base/round_up.hpp"
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

void check_cores(const CoreRangeSet& cores, std::string_view what, const L1Space& l1) {
    const GridSize grid = l1.arch.workers.compute;
    for (const CoreCoord core : cores.cores()) {
        require(core.x < grid.columns && core.y < grid.rows,
                "{}: core {} is outside the {}x{} grid of device {}", what, to_string(core),
                grid.columns, grid.rows, l1.device);
    }
}

// TT-Metalium aligns circular buffers to the DRAM alignment, so that DRAM reads can write to them.
std::uint64_t aligned(std::uint64_t address, const ArchSpec& arch) {
    return round_up(address, arch.dram.alignment.value);
}

/// Returns a line for each circular buffer of the core with L1 of its own.
std::string table_of(const Program& program, CoreCoord core) {
    std::string text;
    for (const auto& [cores, config] : program.circular_buffers) {
        if (!config.globally_allocated_address && cores.contains(core)) {
            const std::uint32_t page = config.page_sizes.begin()->second;
            text += fmt::format("\n  cb {:<5} {:>9} B = {} x {} B, {}", indices_of(config),
                                config.total_size, config.total_size / page, page,
                                name_of(config.formats.begin()->second));
        }
    }
    return text;
}

[[noreturn]] void refuse(const Program& program, std::size_t i, CoreCoord core, std::uint64_t end,
                         const L1Space& l1) {
    const std::uint64_t limit = l1.buffers.lowest_held();
    throw UsageError(fmt::format(
        "device {} core {}: circular buffers do not fit: cb {} ends {} B above {:#x}, where {}; "
        "circular buffers of the core, from {:#x} on:{}",
        l1.device, to_string(core), indices_of(program.circular_buffers[i].config), end - limit,
        limit,
        l1.buffers.bytes_held() == 0 ? "L1 ends"
                                     : "L1 buffers begin: " + l1.buffers.largest_holders(5),
        aligned(l1.arch.l1.reserved.value, l1.arch), table_of(program, core)));
}

}  // namespace

void check_on_grid(const Program& program, const L1Space& l1) {
    for (const KernelDescription& kernel : program.kernels) {
        check_cores(kernel.cores, "kernel " + kernel.source, l1);
    }
    for (const auto& [cores, config] : program.circular_buffers) {
        check_cores(cores, "circular buffer " + indices_of(config), l1);
    }
    const std::uint32_t num_semaphores = l1.arch.l1.num_semaphores;
    for (const SemaphoreDescription& semaphore : program.semaphores) {
        check_cores(semaphore.cores, fmt::format("semaphore {}", semaphore.id), l1);
        require(semaphore.id < num_semaphores, "semaphore {}: a core of {} has {}", semaphore.id,
                l1.arch.name, num_semaphores);
    }
}

L1Layout lay_out_circular_buffers(const Program& program, const L1Space& l1) {
    L1Layout layout;
    std::map<CoreCoord, std::uint64_t> next;
    const std::uint64_t base = aligned(l1.arch.l1.reserved.value, l1.arch);
    const std::uint64_t limit = l1.buffers.lowest_held();
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
            if (address + config.total_size > limit) {
                refuse(program, i, core, address + config.total_size, l1);
            }
            next[core] = aligned(address + config.total_size, l1.arch);
        }
        layout.push_back(static_cast<std::uint32_t>(address));
    }
    return layout;
}

}  // namespace tessera
