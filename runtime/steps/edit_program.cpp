// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/edit_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

CoreCoord moved(CoreCoord core, CoreCoord by) {
    return {core.x + by.x, core.y + by.y};
}

CoreRangeSet moved(const CoreRangeSet& cores, CoreCoord by, const ArchSpec& arch,
                   const std::string& step) {
    const GridSize grid = arch.workers.compute;
    std::vector<CoreRange> ranges;
    for (const CoreRange& range : cores.ranges()) {
        ranges.emplace_back(moved(range.start_coord, by), moved(range.end_coord, by));
        const CoreCoord end = ranges.back().end_coord;
        require(end.x < grid.columns && end.y < grid.rows,
                "steps.{}.first_core: {} puts a core at {}, but {} has cores (0,0) to ({},{})",
                step, to_string(by), to_string(end), arch.name, grid.columns - 1, grid.rows - 1);
    }
    return CoreRangeSet(std::move(ranges));
}

bool share_a_core(const Program& a, const Program& b) {
    return std::ranges::any_of(a.kernels, [&](const KernelDescription& kernel) {
        return std::ranges::any_of(b.kernels, [&](const KernelDescription& other) {
            return kernel.cores.intersects(other.cores);
        });
    });
}

bool lies_on_a_shard(const CircularBufferDescription& buffer) {
    return buffer.config.globally_allocated_address.has_value();
}

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
    std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

void move_cores(Program& program, CoreCoord first_core, const ArchSpec& arch,
                const std::string& step) {
    if (first_core == CoreCoord{0, 0}) {
        return;
    }
    // Arguments are numbers like any other, so coordinates among them cannot be told and moved.
    require(program.semaphores.empty(),
            "steps.{}.first_core: its cores send to each other, and where they lie is in their "
            "kernels' arguments; allowed: [0, 0]",
            step);
    require(std::ranges::none_of(program.circular_buffers, lies_on_a_shard),
            "steps.{}.first_core: it has circular buffers on the shards of a tensor; allowed: "
            "[0, 0]",
            step);
    for (KernelDescription& kernel : program.kernels) {
        kernel.cores = moved(kernel.cores, first_core, arch, step);
        std::map<CoreCoord, std::vector<std::uint32_t>> args;
        for (auto& [core, words] : kernel.runtime_args) {
            args.emplace(moved(core, first_core), std::move(words));
        }
        kernel.runtime_args = std::move(args);
    }
    for (CircularBufferDescription& buffer : program.circular_buffers) {
        buffer.cores = moved(buffer.cores, first_core, arch, step);
    }
    for (SemaphoreDescription& semaphore : program.semaphores) {
        semaphore.cores = moved(semaphore.cores, first_core, arch, step);
    }
}

void add_programs(std::vector<DeviceProgram> more, std::vector<DeviceProgram>& programs,
                  const std::string& step) {
    for (DeviceProgram& program : more) {
        const auto there = std::ranges::find(programs, program.device, &DeviceProgram::device);
        if (there == programs.end()) {
            programs.push_back(std::move(program));
            continue;
        }
        require(!share_a_core(there->program, program.program),
                "steps.{}: it shares a launch with steps that use its cores on device {}; "
                "first_core, or a grid, parts them",
                step, program.device);
        append(there->program.kernels, program.program.kernels);
        append(there->program.circular_buffers, program.program.circular_buffers);
        append(there->program.semaphores, program.program.semaphores);
        there->host_reads += program.host_reads;
    }
}

}  // namespace tessera::pipeline
