// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string>

#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/mesh.hpp"
#include "runtime/launch/l1_layout.hpp"
#include "runtime/launch/place_remote_buffers.hpp"
#include "runtime/scheduler/run_cores.hpp"
#include "runtime/scheduler/worker_pool.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

// The programs are sorted by device.
void check_one_program_each(std::span<const LaunchedProgram> programs) {
    for (std::size_t i = 1; i < programs.size(); ++i) {
        const std::uint32_t device = programs[i].program->device;
        require(device != programs[i - 1].program->device,
                "device {} has two programs in one launch", device);
    }
}

bool has_kernel(const Core& core) {
    return std::ranges::any_of(core.threads, [](const auto& thread) { return thread != nullptr; });
}

void clear_zero_area(Core& core) {
    const L1Spec& l1 = core.arch().l1;
    std::memset(core.l1(static_cast<std::uint32_t>(l1.zeros.value)), 0, l1.zeros_size.value);
}

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

/// Sets up empty circular buffers on the cores, and every thread's pointers into them.
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

/// Returns the byte that a circular buffer holds before the launch, if one is stated.
std::optional<std::byte> content_of(const CircularBufferConfig& config, const LaunchModes& modes) {
    // Tiles that are not packed. As a float32 or bfloat16 it is 0.747; zeros would be a special case
    // of many kernels.
    constexpr std::byte kNotPacked{0x3F};
    if (config.globally_allocated_address) {
        return std::nullopt;
    }
    return config.steers && modes.maths == Maths::Off ? kNotPacked : modes.left_in_buffers;
}

void fill_circular_buffers(const Program& program, const L1Layout& layout, const LaunchModes& modes,
                           Device& device) {
    for (std::size_t i = 0; i < program.circular_buffers.size(); ++i) {
        const auto& [cores, config] = program.circular_buffers[i];
        if (const auto content = content_of(config, modes)) {
            for (const CoreCoord core : cores.cores()) {
                std::memset(device.core(core).l1(layout[i]), static_cast<int>(*content),
                            config.total_size);
            }
        }
    }
}

/// Writes the initial values of the program's semaphores on their cores.
void place_semaphores(const Program& program, Device& device) {
    const L1Spec& l1 = device.arch().l1;
    device.has_semaphore.assign(l1.num_semaphores, false);
    device.named_semaphores.clear();
    for (const SemaphoreDescription& semaphore : program.semaphores) {
        device.has_semaphore.at(semaphore.id) = true;
        if (!semaphore.name.empty()) {
            device.named_semaphores.push_back(semaphore);
        }
        const auto address = static_cast<std::uint32_t>(l1.semaphores.value +
                                                        semaphore.id * l1.semaphore_stride.value);
        for (const CoreCoord core : semaphore.cores.cores()) {
            std::memcpy(device.core(core).l1(address), &semaphore.initial_value, 4);
        }
    }
}

/// A program with its device, its L1 layout and its kernels.
struct PlacedProgram {
    const Program* program = nullptr;
    Device* device = nullptr;
    L1Layout layout;
    std::vector<CompiledKernel> kernels;
};

// Programs one after another, because devices often run the same kernels, each of which is compiled
// once; the kernels of a program side by side.
std::vector<PlacedProgram> prepare(Mesh& mesh, std::span<const LaunchedProgram> programs,
                                   WorkerPool& pool) {
    const ForEachIndex for_each = [&](std::size_t count,
                                      const std::function<void(std::size_t)>& function) {
        pool.for_each(count, function);
    };
    std::vector<PlacedProgram> prepared;
    for (const LaunchedProgram& launched : programs) {
        if (!launched.is_run()) {
            continue;
        }
        const std::uint32_t id = launched.program->device;
        const Program& program = launched.program->program;
        require(id < mesh.num_devices(), "a program is for device {}, the mesh has {}", id,
                mesh.num_devices());
        Device& device = mesh.device(id);
        const L1Space l1{device.arch(), device.id(), device.l1_allocator};
        check_on_grid(program, l1);  // first: all else indexes by these coordinates
        prepared.push_back({&program, &device, lay_out_circular_buffers(program, l1),
                            look_up_kernels(program, device.arch(), for_each)});
    }
    return prepared;
}

void place(const PlacedProgram& placed, const LaunchModes& modes) {
    const auto& [program, device, layout, kernels] = placed;
    for (const auto& core : device->cores()) {
        core->reset();
    }
    place_kernels(*program, kernels, modes, *device);
    place_circular_buffers(*program, layout, *device);
    fill_circular_buffers(*program, layout, modes, *device);
    place_semaphores(*program, *device);
    place_remote_buffers(*program, *device);
    for (const auto& core : device->cores()) {
        if (has_kernel(*core)) {
            clear_zero_area(*core);
        }
    }
}

std::vector<Core*> active_cores(const Device& device) {
    std::vector<Core*> cores;
    for (const auto& core : device.cores()) {
        if (has_kernel(*core)) {
            cores.push_back(core.get());
        }
    }
    return cores;
}

// Returns the cores that run a kernel, sorted by (device, y, x).
std::vector<Core*> running_cores(Mesh& mesh, std::span<const LaunchedProgram> programs) {
    std::vector<Core*> cores;
    for (const LaunchedProgram& launched : programs) {
        if (launched.is_run()) {
            std::ranges::move(active_cores(mesh.device(launched.ran_on)),
                              std::back_inserter(cores));
        }
    }
    return cores;
}

CoreActivity activity_of(const Core& core, std::uint32_t device) {
    CoreActivity sum{.device = device, .core = core.logical()};
    for (const auto& thread : core.threads) {
        if (thread) {
            sum.tiles_packed += thread->activity.tiles_packed;
            sum.tiles_multiplied += thread->activity.tiles_multiplied;
            sum.bytes_read += thread->activity.bytes_read;
            sum.bytes_written += thread->activity.bytes_written;
            sum.bytes_linked += thread->activity.bytes_linked;
        }
    }
    return sum;
}

std::vector<Finding> findings_of(const KernelThread& thread) {
    std::vector<Finding> findings;
    for (const ThreadFinding& found : thread.findings) {
        findings.push_back(
            {.kind = name_of(found.kind),
             .text = found.call + ' ' + words_of(found.kind),
             .kernel = thread.kernel,
             .file = found.site.file == nullptr ? thread.kernel : std::string(found.site.file),
             .line = found.site.line,
             .detail = found.detail,
             .num_cores = 1,
             .num_calls = found.num_calls});
    }
    return findings;
}

std::vector<Finding> findings_of(const Core& core) {
    std::vector<Finding> findings;
    for (const auto& thread : core.threads) {
        if (thread) {
            std::ranges::move(findings_of(*thread), std::back_inserter(findings));
        }
    }
    return findings;
}

// A thread stops where the launch is cancelled, so its findings depend on the host's threads. Two
// kinds do not: those of a failed thread up to its error, and all of a deadlock, in which every
// thread has run as far as it can.
std::vector<Finding> findings_before(const KernelError& error, std::span<Core* const> cores) {
    const Where& where = error.where();
    const bool is_deadlock = error.category() == FaultCategory::Deadlock;
    std::vector<Finding> findings;
    for (const Core* core : cores) {
        for (const auto& thread : core->threads) {
            const bool has_failed = thread && thread->activity.device == where.device &&
                                    core->logical() == where.core &&
                                    thread->processor() == where.processor;
            if (thread && (is_deadlock || has_failed)) {
                merge_findings(findings, findings_of(*thread));
            }
        }
    }
    return findings;
}

/// Returns the error with what its threads did before that a chip tolerates: often the cause.
KernelError with_findings(const KernelError& error, std::span<Core* const> cores) {
    constexpr std::size_t kMost = 8;
    const std::vector<Finding> findings = findings_before(error, cores);
    std::string detail = error.detail();
    for (const Finding& finding : std::span(findings).first(std::min(kMost, findings.size()))) {
        detail += fmt::format("\n  before it, {}", text_of(finding));
    }
    if (findings.size() > kMost) {
        detail += fmt::format("\n  before it, {} more lines of that kind", findings.size() - kMost);
    }
    return {error.category(), error.where(), detail};
}

}  // namespace

LaunchResult launch(Mesh& mesh, std::span<const LaunchedProgram> programs, const LaunchModes& modes,
                    WorkerPool& pool) {
    check_one_program_each(programs);
    const std::vector<PlacedProgram> placed = prepare(mesh, programs, pool);
    pool.for_each(placed.size(), [&](std::size_t i) { place(placed[i], modes); });
    const std::vector<Core*> cores = running_cores(mesh, programs);
    try {
        run_cores(cores, pool);
    } catch (const KernelError& error) {
        throw with_findings(error, cores);
    }
    LaunchResult result;
    for (const LaunchedProgram& launched : programs) {
        for (const Core* core : active_cores(mesh.device(launched.ran_on))) {
            result.cores.push_back(activity_of(*core, launched.program->device));
            merge_findings(result.findings, findings_of(*core));
        }
    }
    return result;
}

std::optional<KernelError> cause_of_stall(Mesh& mesh, std::span<const LaunchedProgram> programs) {
    for (const Core* core : running_cores(mesh, programs)) {
        for (const auto& thread : core->threads) {
            if (!thread) {
                continue;
            }
            const auto found = std::ranges::find_if(
                thread->findings,
                [](const ThreadFinding& finding) { return may_stall_a_replay(finding.kind); });
            if (found != thread->findings.end()) {
                return KernelError(
                    FaultCategory::UndefinedBehavior,
                    {.device = core->device().id(),
                     .core = core->logical(),
                     .processor = thread->processor(),
                     .kernel = thread->kernel,
                     .file = found->site.file == nullptr ? "" : found->site.file,
                     .line = found->site.line},
                    found->detail +
                        "\n  the launch went on as on a chip, but cannot be timed after "
                        "it; without times: --no-timing");
            }
        }
    }
    return std::nullopt;
}

}  // namespace tessera
