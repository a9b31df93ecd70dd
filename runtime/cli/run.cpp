// SPDX-License-Identifier: Apache-2.0
// tessera run: one configuration from its inputs to a verified result.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "ops/moe_v2/step.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/cli/run_options.hpp"
#include "runtime/host_profile/profile_text.hpp"
#include "runtime/pipeline/moe_input_file.hpp"
#include "runtime/pipeline/moe_load.hpp"
#include "runtime/pipeline/run_workload.hpp"
#include "runtime/report/run_json.hpp"
#include "runtime/report/run_text.hpp"
#include "runtime/report/timing/assumed_shares.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "runtime/report/timing/timing_text.hpp"
#include "runtime/study/trace_taker.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

void require_device_count(const RunSpec& run, const run::MoeInputFile& file) {
    const MeshShape mesh = run.mesh.shape;
    require(mesh.num_devices() == file.num_devices(),
            "mesh.shape [{}, {}] has {} devices, but {} is for {}: device_expert_mapping has that "
            "many rows",
            mesh.rows, mesh.columns, mesh.num_devices(), file.path(), file.num_devices());
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What a run gave: its record and, with timing, its report.
struct Outcome {
    report::RunRecord record;
    std::optional<report::TimingReport> timing;
};

void print(const Outcome& outcome, const RunOptions& options, const Console& console) {
    const report::TextStyle& style = console.out_style;
    if (options.json) {
        console.out << to_json(outcome.record).dump(2) << '\n';
    } else if (options.quiet) {
        console.out << verdict_text(outcome.record, style);
    } else {
        console.out << title_text(outcome.record, style) << '\n'
                    << steps_text(outcome.record, style) << '\n';
        if (outcome.timing) {
            console.out << timing_text(*outcome.timing, style) << '\n';
        }
        console.out << cores_text(outcome.record, style) << '\n'
                    << verdict_text(outcome.record, style);
    }
}

/// Inputs of a MoE layer; none of one op, which draws its own.
using Inputs = std::optional<run::MoeInputs>;

Inputs inputs_of(const config::LoadedRun& loaded, const std::optional<run::MoeInputFile>& file) {
    if (loaded.run.workload.pipeline != Pipeline::MoeV2) {
        return std::nullopt;
    }
    return file ? file->inputs() : run::draw_moe_inputs(loaded.run);
}

std::size_t num_launches(const config::LoadedRun& loaded) {
    return loaded.run.workload.pipeline == Pipeline::MoeV2
               ? ops::moe_v2::plan_steps(loaded.run.ops).size()
               : 1;
}

// Without a page to draw them on, points need not be kept.
std::optional<timed_run::RunTimer> timer_of(const RunOptions& options,
                                            const config::LoadedRun& loaded) {
    if (options.no_timing) {
        return std::nullopt;
    }
    timed_run::TimerOptions timer;
    timer.budget.num_launches = num_launches(loaded);
    if (!options.report) {
        timer.budget.points = 0;
        timer.budget.cb_points = 0;
    }
    return timed_run::RunTimer(loaded.run.name, timed_run::machine_of(loaded), timer);
}

void note_times(const report::TimingReport& timing, report::RunRecord& record) {
    record.makespan = timing.makespan;
    for (std::size_t i = 0; i < record.steps.size(); ++i) {
        record.steps[i].device_time = timing.launches.at(i).device_time;
    }
}

Outcome run_loaded(const RunOptions& options, const config::LoadedRun& loaded, const Inputs& inputs,
                   const Console& console) {
    std::optional<SafetensorsWriter> outputs;  // before the run: it may be refused
    if (options.outputs) {
        outputs.emplace(*options.outputs, run::output_tensors(loaded));
    }
    timed_run::TraceTaker taker(timer_of(options, loaded), options.trace);
    ProgressLine progress(console);
    const auto on_step = [&](const run::StepStart& step) {
        if (!options.quiet) {
            progress.show(fmt::format("[{}/{}] {}", step.number, step.num_steps, step.name));
        }
    };
    const run::RunModes modes = taker.modes(
        options.timing_only ? run::timing_only(loaded.run.workload.pipeline) : run::RunModes{});
    Outcome outcome{run::run_workload(loaded, modes,
                                      {.inputs = inputs ? &*inputs : nullptr,
                                       .outputs = outputs ? &*outputs : nullptr,
                                       .on_step = on_step}),
                    taker.finish()};
    if (outputs) {
        outputs->finish();
    }
    outcome.record.host.timing = taker.seconds();
    if (outcome.timing) {
        outcome.timing->assumed = report::assumed_shares(*outcome.timing, loaded.resolved);
        note_times(*outcome.timing, outcome.record);
    }
    if (outcome.timing && inputs) {
        outcome.timing->moe = run::moe_load(*inputs, loaded.run.ops);
    }
    return outcome;
}

ExitCode run(const RunOptions& options, const Console& console) {
    const auto start = std::chrono::steady_clock::now();
    check_run_options(options);
    std::optional<host_profile::Sampler> sampler;
    if (options.profile_host) {
        sampler.emplace();
    }
    std::optional<run::MoeInputFile> file;
    if (options.inputs) {
        file.emplace(*options.inputs);
    }
    const config::LoadedRun loaded =
        load(options.config, file ? file->shapes() : std::vector<config::Override>());
    if (file) {
        require_device_count(loaded.run, *file);
    }
    const Inputs inputs = inputs_of(loaded, file);
    const double load_seconds = seconds_since(start);
    Outcome outcome = run_loaded(options, loaded, inputs, console);
    report::RunRecord& record = outcome.record;
    record.inputs = options.inputs.value_or("");
    record.host.load = load_seconds;
    record.host.total = seconds_since(start);
    if (options.report) {
        report::write_report(*options.report, *outcome.timing, loaded.resolved, &record);
    }
    print(outcome, options, console);
    if (sampler) {
        const double report_seconds = seconds_since(start) - record.host.total;
        const auto profile = host_profile::profile_of(sampler->stop(), host_profile::Symbols());
        console.out << '\n' << profile_text(record, report_seconds, profile, console.out_style);
    }
    return failed_steps(record).empty() ? ExitCode::Success : ExitCode::VerificationFailed;
}

}  // namespace

Command add_run(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("run", "Run a configuration, check every step and predict its time");
    auto options = std::make_shared<RunOptions>();
    add_run_options(*command, *options);
    return {command, [options, &console] { return run(*options, console); }};
}

}  // namespace tessera::cli
