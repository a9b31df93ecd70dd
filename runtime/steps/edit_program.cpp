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

/// Returns the moved cores. The grid is checked here and not at launch, so that the message names
/// the step and first_core.
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

/// Returns whether two programs use a common core. Compares ranges, not single cores.
bool share_a_core(const Program& a, const Program& b) {
    return std::ranges::any_of(a.kernels, [&](const KernelDescription& kernel) {
        return std::ranges::any_of(b.kernels, [&](const KernelDescription& other) {
            return kernel.cores.intersects(other.cores);
        });
    });
}

bool is_on_a_shard(const CircularBufferDescription& buffer) {
    return buffer.config.globally_allocated_address.has_value();
}

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
    std::ranges::move(from, std::back_inserter(to));
}

}  // namespace

void move_cores(Program& program, CoreCoord first_core, const ArchSpec& arch,
                const std::string& step) {
    // The default, which every program allows.
    if (first_core == CoreCoord{0, 0}) {
        return;
    }
    // A kernel argument is a plain word, so a coordinate among the arguments cannot be recognised
    // and moved. Moving only the cores gave a wrong result or a hang; semaphores are the sign that
    // kernels have coordinates of each other.
    require(program.semaphores.empty(),
            "steps.{}.first_core: cores of this step send to each other, and their coordinates "
            "are kernel arguments, which cannot be moved; allowed: [0, 0]",
            step);
    // A shard stays on the core that its tensor's shard spec names.
    require(std::ranges::none_of(program.circular_buffers, is_on_a_shard),
            "steps.{}.first_core: this step has circular buffers on the shards of a tensor; "
            "allowed: [0, 0]",
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
        // Two kernels of one RISC on a core cannot run in one launch. CB indices and semaphore ids
        // of a core belong to one program.
        require(!share_a_core(there->program, program.program),
                "steps.{}: shares a launch with steps that use the same cores on device {}; "
                "separate them with first_core or a smaller grid",
                step, program.device);
        append(there->program.kernels, program.program.kernels);
        append(there->program.circular_buffers, program.program.circular_buffers);
        append(there->program.semaphores, program.program.semaphores);
        there->host_reads += program.host_reads;
        there->is_alone = there->is_alone && program.is_alone;
    }
}

}  // namespace tessera::pipeline
