// SPDX-License-Identifier: Apache-2.0
#include "emu/base/counted_random.hpp"
#include "emu/timing/engine.hpp"
#include "emu/timing/events.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::timing {
namespace {

void require_fits(const CoreTrace& core, const Machine& machine) {
    const GridSize grid = machine.arch.workers.compute;
    const std::uint32_t num_devices = machine.mesh.shape.num_devices();
    require(core.device < num_devices, "trace: there is no device {}, the mesh has {}", core.device,
            num_devices);
    require(core.core.x < grid.columns && core.core.y < grid.rows,
            "trace: there is no core ({},{}), {} has {} × {} cores", core.core.x, core.core.y,
            machine.arch.name, grid.columns, grid.rows);
}

CoreState make_core(const CoreTrace& trace) {
    CoreState core;
    core.trace = &trace;
    core.cb_at.fill(0xFF);  // no CB: beyond the last place of any core
    for (const CbTrace& cb : trace.cbs) {
        require(cb.index < core.cb_at.size(), "trace: there is no CB {}", cb.index);
        core.cb_at[cb.index] = static_cast<std::uint8_t>(core.cbs.size());
        core.cbs.emplace_back().num_pages = cb.pages;
    }
    return core;
}

Millicycles start_of(const ReplayState& state, std::uint32_t device) {
    const auto starts = state.options.device_start;
    return device < starts.size() ? starts[device] : 0;
}

/// Returns how long after the go signal a core notices it. The delay depends on the core, not on
/// the device, because identical devices share one replay.
Millicycles start_delay(const ReplayState& state, CoreCoord core) {
    const Millicycles spread = state.costs.launch.start_spread();
    const std::uint64_t word =
        random_word(state.options.start_seed, std::uint64_t{core.x} << 32U | core.y);
    return static_cast<Millicycles>(below(word, static_cast<std::uint64_t>(spread) + 1));
}

void add_thread(ReplayState& state, const ThreadTrace& trace, TimelineThread role) {
    EngineThread thread;
    thread.trace = &trace;
    thread.index = static_cast<std::uint32_t>(state.threads.size());
    thread.core = static_cast<std::uint32_t>(state.cores.size() - 1);
    thread.role = role;
    thread.log = ThreadLog(state.options.keeps, trace.events.size());
    CoreState& core = state.cores.back();
    const Millicycles launch = start_of(state, core.trace->device) + state.costs.launch.latency();
    // Separate from Start, so that every timeline begins with an interval that a later start can
    // extend. Identical devices share one replay by that (identical_devices.hpp).
    thread.log.spend(Activity::NotStarted, 0, launch);
    thread.log.spend(
        Activity::Start, 0,
        start_delay(state, core.trace->core) + state.costs.launch.of_start(*core.trace, role));
    if (role == TimelineThread::Unpack) {
        core.unpack = thread.index;
    } else if (role == TimelineThread::Math) {
        core.math = thread.index;
    }
    state.threads.push_back(std::move(thread));
}

void add_core(ReplayState& state, const CoreTrace& core) {
    require_fits(core, state.machine);
    const GridSize grid = state.machine.arch.workers.compute;
    state.core_at[(core.device * grid.rows + core.core.y) * grid.columns + core.core.x] =
        static_cast<std::uint32_t>(state.cores.size());
    state.cores.push_back(make_core(core));
    for (const ThreadTrace& thread : core.threads) {
        // With full sync DST is handed over as a whole: math waits for every release.
        if (thread.processor == Processor::Compute && thread.compute.dst_full_sync) {
            state.cores.back().num_halves = 1;
        }
    }
    for (const ThreadSource& thread : threads_of(core)) {
        add_thread(state, *thread.trace, thread.role);
    }
}

void put_initial_words(ReplayState& state) {
    for (const InitialWord& word : state.launch.initial_words) {
        // The launch has the words of all devices. Skip cores outside of this part.
        const std::uint32_t core = state.core_index(word.device, word.core);
        if (core != kNoThread) {
            word_at(state, core, word.address).store(word.value);
        }
    }
}

}  // namespace

void set_up(ReplayState& state) {
    const GridSize grid = state.machine.arch.workers.compute;
    const std::size_t num_devices = state.machine.mesh.shape.num_devices();
    state.core_at.assign(num_devices * grid.rows * grid.columns, kNoThread);
    state.senders.resize(num_devices * kLinkDirections.size() * kLinksPerDirection);
    state.cores.reserve(state.part.cores.size());
    for (const CoreTrace& core : state.part.cores) {
        add_core(state, core);
    }
    put_initial_words(state);
    // In reverse order: `runnable` is a stack, so the first thread is replayed first.
    for (std::size_t i = state.threads.size(); i > 0; --i) {
        state.wake(static_cast<std::uint32_t>(i - 1));
    }
}

}  // namespace tessera::timing
