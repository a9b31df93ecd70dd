// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/compared_run.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "emu/base/trace_file/trace_reader.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/facade/device_model.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "runtime/report/run_text.hpp"
#include "runtime/study/run_figures.hpp"
#include "runtime/study/time_trace.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

compare::RecordedRun record(const config::LoadedRun& loaded, ProgressLine& progress) {
    compare::RecordedRun run{
        loaded.run.name, {}, timed_run::machine_of(loaded), {}, progress.counter()};
    pipeline::RunModes modes = pipeline::timing_only(loaded.pipeline);
    modes.trace = TraceMode::On;
    modes.trace_sink = [&run](const Trace& so_far, LaunchTrace&& launch) {
        run.trace.arch = so_far.arch;
        run.trace.mesh = so_far.mesh;
        run.trace.names = so_far.names;
        run.trace.launches.push_back(std::move(launch));
    };
    const auto on_step = [&](const pipeline::StepStart& step) {
        progress.step("recording " + step.name, step.number, step.num_steps);
    };
    report::RunRecord record = pipeline::run_pipeline(loaded, modes, {.on_step = on_step});
    run.least_work = std::move(record.least_work);
    run.drawn = std::move(record.drawn);
    return run;
}

compare::RecordedRun read(const fs::path& path, const std::vector<config::Override>& sets,
                          ProgressLine& progress) {
    progress.begin("reading " + path.string());
    Trace trace = read_trace(path);
    const config::LoadedArch device = load_overridden(arch_of_trace(path, trace), sets);
    const MeshSpec mesh = trace.mesh;
    return {path.stem().string(), std::move(trace), timed_run::machine_of(device, mesh), path,
            progress.counter()};
}

}  // namespace

ComparedRun open_run(const std::string& argument, const std::vector<config::Override>& sets,
                     ProgressLine& progress) {
    const fs::path path = argument;
    if (fs::is_directory(path) || path.extension() == ".json") {
        require(sets.empty(),
                "{}: {} is a report, whose times are fixed; allowed: traces and configurations",
                sets.empty() ? "" : sets.front().origin, argument);
        return compare::read_report(path);
    }
    if (!fs::exists(path) || path.extension() == ".yaml" || path.extension() == ".yml") {
        return record(load(argument, sets), progress);
    }
    return read(path, sets, progress);
}

std::string drawn_note(std::span<const ComparedRun> runs) {
    std::vector<std::string> drawn;
    for (const ComparedRun& run : runs) {
        const auto* recorded = std::get_if<compare::RecordedRun>(&run);
        for (const std::string& name :
             recorded == nullptr ? std::vector<std::string>{} : recorded->drawn) {
            if (std::ranges::find(drawn, name) == drawn.end()) {
                drawn.push_back(name);
            }
        }
    }
    return drawn.empty() ? "" : report::drawn_text(drawn) + "\n";
}

}  // namespace tessera::cli
