// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/collect_trace.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "emu/base/event_kinds.hpp"
#include "emu/core/compute_state.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/mesh.hpp"
#include "runtime/launch/trace_names.hpp"

namespace tessera {
namespace {

// The recorder stores addresses of names, which are valid as long as the kernel is loaded.
void number_names(std::vector<TraceEvent>& events, TraceNames& names) {
    std::uint64_t last_address = 0;
    std::uint32_t last_index = 0;
    for (TraceEvent& event : events) {
        if (!has_name(event.kind)) {
            continue;
        }
        if (event.argument != last_address) {
            last_address = event.argument;
            last_index = names.index_of(reinterpret_cast<const char*>(last_address));
        }
        event.argument = last_index;
    }
}

std::vector<TraceSite> number_sites(const std::vector<CallSite>& sites, TraceNames& names) {
    std::vector<TraceSite> numbered;
    numbered.reserve(sites.size());
    const char* last_file = nullptr;  // most lines of a kernel are in one file
    std::uint32_t last_index = 0;
    for (const CallSite& site : sites) {
        if (site.file != last_file) {
            last_file = site.file;
            last_index = names.index_of(site.file);
        }
        numbered.push_back({last_index, site.line});
    }
    return numbered;
}

// A trace stays in memory, so the unused capacity of short ones is released.
std::vector<TraceEvent> take_events(TraceRecorder& recorder) {
    recorder.finish();
    std::vector<TraceEvent> events = std::move(recorder.events());
    if (events.size() < events.capacity() / 2) {
        events.shrink_to_fit();
    }
    return events;
}

ThreadTrace thread_trace(KernelThread& thread, TraceNames& names) {
    ThreadTrace trace{.processor = thread.processor(),
                      .default_noc = static_cast<std::uint8_t>(thread.default_noc),
                      .kernel = names.index_of(thread.kernel),
                      .compute = {},
                      .sites = number_sites(thread.recorder->sites(), names),
                      .events = take_events(*thread.recorder)};
    if (thread.compute) {
        trace.compute = thread.compute->modes();
    }
    if (thread.recorder->has_names()) {
        number_names(trace.events, names);
    }
    return trace;
}

std::vector<CbTrace> cbs_of(const Core& core) {
    std::vector<CbTrace> cbs;
    for (std::size_t i = 0; i < core.circular_buffers.size(); ++i) {
        const CircularBuffer& buffer = core.circular_buffers[i];
        if (buffer.size != 0) {
            cbs.push_back(
                {static_cast<std::uint8_t>(i), buffer.format, buffer.num_pages, buffer.page_size});
        }
    }
    return cbs;
}

// One allocation may have several CB indices; CBs on shards count with the device's buffers.
std::uint64_t bytes_of_buffers(const Program& program, CoreCoord core) {
    std::uint64_t bytes = 0;
    for (const auto& [cores, config] : program.circular_buffers) {
        const bool is_own = !config.globally_allocated_address && cores.contains(core);
        bytes += is_own ? config.total_size : 0;
    }
    return bytes;
}

std::uint32_t l1_bytes_of(const Program& program, const Device& device, CoreCoord core) {
    return static_cast<std::uint32_t>(bytes_of_buffers(program, core) +
                                      device.l1_allocator.bytes_held());
}

void append_cores(const Program& program, Device& device, TraceNames& names, LaunchTrace& launch) {
    for (const auto& core : device.cores()) {
        CoreTrace trace{.device = static_cast<std::uint16_t>(device.id()),
                        .core = core->logical(),
                        .cbs = cbs_of(*core),
                        .l1_bytes = l1_bytes_of(program, device, core->logical()),
                        .threads = {}};
        trace.threads.reserve(kNumProcessors);
        for (const auto& thread : core->threads) {
            if (thread) {
                trace.threads.push_back(thread_trace(*thread, names));
            }
        }
        if (!trace.threads.empty()) {
            launch.cores.push_back(std::move(trace));
        }
    }
}

// Only SemaphoreAdd and WordWrite events name a device. A program that is alone writes to its own
// device.
void move_words(std::vector<TraceEvent>& events, std::uint16_t device) {
    for (TraceEvent& event : events) {
        if (event.kind == EventKind::SemaphoreAdd || event.kind == EventKind::WordWrite) {
            WordArgument word = WordArgument::unpack(event.argument);
            word.device = device;
            event.argument = word.pack();
        }
    }
}

// Appends the dispatch and the cores of the device whose kernels ran, with this program's device.
void append_copies(const LaunchedProgram& launched, const Device& device, LaunchTrace& launch) {
    DispatchTrace dispatch =
        *std::ranges::find(launch.dispatch, launched.ran_on, &DispatchTrace::device);
    dispatch.device = static_cast<std::uint16_t>(device.id());
    launch.dispatch.push_back(dispatch);
    const auto ran = std::ranges::find(launch.cores, launched.ran_on, &CoreTrace::device);
    // The copies are added to the same list.
    const std::size_t end = launch.cores.size();
    for (auto i = static_cast<std::size_t>(ran - launch.cores.begin());
         i < end && launch.cores[i].device == launched.ran_on; ++i) {
        CoreTrace& copy = launch.cores.emplace_back(launch.cores[i]);
        copy.device = static_cast<std::uint16_t>(device.id());
        copy.l1_bytes = l1_bytes_of(launched.program->program, device, copy.core);
        for (ThreadTrace& thread : copy.threads) {
            if (thread.processor != Processor::Compute) {
                move_words(thread.events, copy.device);
            }
        }
    }
}

void append_words(const Program& program, const Device& device, LaunchTrace& launch) {
    const L1Spec& l1 = device.arch().l1;
    for (const SemaphoreDescription& semaphore : program.semaphores) {
        const auto address = static_cast<std::uint32_t>(l1.semaphores.value +
                                                        semaphore.id * l1.semaphore_stride.value);
        for (const CoreCoord core : semaphore.cores.cores()) {
            if (semaphore.initial_value != 0) {
                launch.initial_words.push_back({static_cast<std::uint16_t>(device.id()), core,
                                                address, semaphore.initial_value});
            }
        }
    }
}

std::uint32_t size_of(const auto& container) {
    return static_cast<std::uint32_t>(container.size());
}

// Returns the kernels of each core, by index in the program.
std::map<CoreCoord, std::vector<std::size_t>> kernels_by_core(const Program& program) {
    std::map<CoreCoord, std::vector<std::size_t>> by_core;
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
        for (const CoreCoord core : program.kernels[i].cores.cores()) {
            by_core[core].push_back(i);
        }
    }
    return by_core;
}

std::uint32_t most_buffers(const Program& program) {
    std::map<CoreCoord, std::uint32_t> counts;
    std::uint32_t most = 0;
    for (const auto& [cores, config] : program.circular_buffers) {
        for (const CoreCoord core : cores.cores()) {
            most = std::max(most, counts[core] += size_of(config.formats));
        }
    }
    return most;
}

/// Returns the commands of a program's dispatch. A kernel group is a set of cores that run the same
/// kernels.
/// Source   tt-metal KernelGroup, tt_metal/impl/program/program.cpp.
DispatchTrace dispatch_trace(const DeviceProgram& program) {
    const auto by_core = kernels_by_core(program.program);
    DispatchTrace dispatch{.device = static_cast<std::uint16_t>(program.device),
                           .cores = size_of(by_core),
                           .cbs = most_buffers(program.program),
                           .semaphores = size_of(program.program.semaphores),
                           .host_reads = program.host_reads};
    std::set<std::vector<std::size_t>> groups;
    for (const auto& [core, kernels] : by_core) {
        groups.insert(kernels);
        dispatch.threads += size_of(kernels);
    }
    dispatch.kernels = size_of(groups);
    for (const KernelDescription& kernel : program.program.kernels) {
        dispatch.common_args += size_of(kernel.common_args);
        for (const auto& [core, args] : kernel.runtime_args) {
            dispatch.unique_args += size_of(args);
        }
    }
    return dispatch;
}

}  // namespace

LaunchTrace collect_trace(const std::string& name, Mesh& mesh,
                          std::span<const LaunchedProgram> programs, TraceNames& names) {
    LaunchTrace launch{.name = name, .dispatch = {}, .cores = {}, .initial_words = {}};
    // Reserved for all: append_copies() reads cores of the list while it appends to it.
    launch.cores.reserve(programs.size() * mesh.device(0).cores().size());
    for (const LaunchedProgram& launched : programs) {
        const DeviceProgram& program = *launched.program;
        Device& device = mesh.device(program.device);
        if (launched.is_run()) {
            launch.dispatch.push_back(dispatch_trace(program));
            append_cores(program.program, device, names, launch);
        } else {
            append_copies(launched, device, launch);
        }
        append_words(program.program, device, launch);
    }
    return launch;
}

}  // namespace tessera
