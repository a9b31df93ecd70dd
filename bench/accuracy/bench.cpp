// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "emu/timing/replay.hpp"
#include "emu/timing/run.hpp"
#include "runtime/config/drawn_timing.hpp"
#include "runtime/study/draw_estimate.hpp"
#include "tessera/errors.hpp"

namespace tessera::score {
namespace {

/// Rows are scored in parallel, so each launch uses one thread.
SessionOptions recording() {
    return {.threads = 1,
            .delivery = NocDelivery::AtIssue,
            .trace = TraceMode::On,
            .maths = Maths::Off,
            .bulk_data = BulkData::Off};
}

/// Returns the cycles between two equal launches, once dispatch runs as far ahead as it can.
double period_of(const Trace& trace, const LaunchTrace& launch, const timing::Machine& machine) {
    constexpr std::uint32_t kFirst = 16;
    constexpr std::uint32_t kCounted = 16;
    timing::RunReplay run(machine, {.keeps_intervals = false});
    Millicycles begin = 0;
    for (std::uint32_t i = 0; i <= kFirst; ++i) {
        begin = run.add(trace, launch).start;
    }
    Millicycles end = begin;
    for (std::uint32_t i = 0; i < kCounted; ++i) {
        end = run.add(trace, launch).start;
    }
    return static_cast<double>(end - begin) / (kCounted * kMillicyclesPerCycle);
}

}  // namespace

Bench::Bench(const Model& model) : Bench(model, one_device(model.arch)) {
}

Bench::Bench(const Model& model, const MeshSpec& mesh)
    : model_(model), mesh_(mesh), session_(mesh, model.arch, recording()) {
}

Replays Bench::run(Program program) {
    const std::array programs{DeviceProgram{0, std::move(program)}};
    return run(programs);
}

Replays Bench::run(std::span<const DeviceProgram> programs) {
    session_.launch("row", programs);
    const Trace& trace = session_.trace();
    ensure(!trace.launches.empty(), "a launch left no trace");
    return replay_all(trace, trace.launches.back(), model_, mesh_);
}

Prediction Bench::period_cycles(Program program, std::uint32_t binary_bytes) {
    const std::array programs{DeviceProgram{0, std::move(program)}};
    session_.launch("row", programs);
    LaunchTrace launch = session_.trace().launches.back();
    launch.dispatch.front().binary_bytes = binary_bytes;
    return drawn_cycles(
        model_, timing::Regime::Launch,
        [&](const TimingSpec& timing, const UnreplayedCosts& /*costs*/) {
            return period_of(session_.trace(), launch, {model_.arch, timing, mesh_});
        });
}

Prediction drawn_cycles(const Model& model, timing::Regime regime, const CyclesOf& cycles) {
    timing::RegimeTimes times{};
    times[static_cast<std::size_t>(regime)] = 1;
    report::Ensemble ensemble = report::make_ensemble(times, model.timing.expected.model_error);
    const auto timings = config::draw_timing(model.timing, model.draws.count);
    const auto costs = draw_costs(model.costs, model.draws.count);
    for (std::size_t i = 0; i < timings.size(); ++i) {
        ensemble.draws.push_back(std::llround(cycles(timings[i], costs[i]) * kMillicyclesPerCycle));
    }
    return prediction_of(cycles(model.timing.expected, model.costs.expected), ensemble);
}

MeshSpec one_device(const ArchSpec& arch) {
    return {.shape = {1, 1}, .topology = Topology::Line, .device = arch.name};
}

Replays replay_all(const Trace& trace, const LaunchTrace& launch, const Model& model,
                   const MeshSpec& mesh) {
    const auto at = [&](const TimingSpec& timing, const timing::ReplayOptions& options) {
        return timing::replay(trace, launch, {model.arch, timing, mesh}, options);
    };
    DrawnTimelines timelines{
        .expected = at(model.timing.expected, {.keeps = timing::Keep::CriticalPath}),
        .draws = {},
        .factors = {},
        .error = model.timing.expected.model_error};
    const auto draws = config::draw_timing(model.timing, model.draws.count);
    if (model.draws.times == timed_run::DrawTimes::Estimated) {
        timed_run::DrawEstimate estimate(model.arch, model.timing.expected, draws);
        estimate.price(trace);
        timelines.factors = estimate.factors(launch, timelines.expected);
        return Replays(trace.names, std::move(timelines));
    }
    std::uint64_t seed = 0;
    for (const TimingSpec& draw : draws) {
        timelines.draws.push_back(at(draw, {.keeps = timing::Keep::Totals, .start_seed = ++seed}));
    }
    return Replays(trace.names, std::move(timelines));
}

}  // namespace tessera::score
