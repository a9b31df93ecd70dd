// SPDX-License-Identifier: Apache-2.0
// tessera run: runs one configuration from its inputs to a verified result.
#include "runtime/cli/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "emu/base/seconds_since.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/focus_option.hpp"
#include "runtime/cli/moe_explain.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/cli/run_options.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "runtime/report/run_json.hpp"
#include "runtime/report/run_text.hpp"
#include "runtime/report/timing/assumed_shares.hpp"
#include "runtime/report/timing/bounds.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "runtime/report/timing/source_texts.hpp"
#include "runtime/report/timing/summary_text.hpp"
#include "runtime/report/timing/timing_text.hpp"
#include "runtime/study/host_profile.hpp"
#include "runtime/study/sensitivity.hpp"
#include "runtime/study/trace_taker.hpp"
#include "runtime/study/tuning_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

/// The file of --state: persistent tensors of the previous run, which this run replaces.
class StateFile {
public:
    StateFile(const std::optional<std::string>& path, const config::LoadedRun& loaded) {
        if (!path) {
            return;
        }
        const auto tensors = pipeline::state_tensors(loaded);
        require(!tensors.empty(), "--state {}: the pipeline has no persistent tensor", *path);
        if (std::filesystem::exists(*path)) {
            old_ = std::make_shared<const SafetensorsFile>(*path);
        }
        writer_.emplace(*path, tensors);
    }
    [[nodiscard]] const pipeline::InputFile& old() const noexcept { return old_; }
    [[nodiscard]] SafetensorsWriter* writer() noexcept { return writer_ ? &*writer_ : nullptr; }
    void finish() {
        if (writer_) {
            writer_->finish();
        }
    }

private:
    pipeline::InputFile old_;
    std::optional<SafetensorsWriter> writer_;
};

std::vector<std::pair<std::string, std::string>> replaced_kernels(
    const std::vector<std::string>& options) {
    std::vector<std::pair<std::string, std::string>> kernels;
    for (const std::string& option : options) {
        const std::size_t equals = option.find('=');
        require(equals != std::string::npos && equals > 0 && equals + 1 < option.size(),
                "--kernel {}: expected KERNEL=FILE", option);
        const std::string file = option.substr(equals + 1);
        const std::string kernel = option.substr(0, equals);
        const auto earlier =
            std::ranges::find(kernels, kernel, [](const auto& k) { return k.first; });
        require(earlier == kernels.end(),
                "--kernel {}: {} is already replaced by {}; allowed: one file for each kernel",
                option, kernel, earlier == kernels.end() ? "" : earlier->second);
        kernels.emplace_back(kernel, std::filesystem::absolute(file).string());
    }
    return kernels;
}

/// Result of a run: its record and, with timing, its report.
struct Outcome {
    report::RunRecord record;
    std::optional<report::TimingReport> timing;
};

void print_all(const Outcome& outcome, const Console& console) {
    const report::TextStyle& style = console.out_style;
    console.out << title_text(outcome.record, style) << '\n'
                << steps_text(outcome.record, style) << '\n'
                << parameters_text(outcome.record, style) << '\n';
    if (outcome.timing) {
        console.out << timing_text(*outcome.timing, style) << '\n';
    }
    console.out << cores_text(outcome.record, style) << '\n' << verdict_text(outcome.record, style);
}

void print(const Outcome& outcome, const RunOptions& options, const Console& console) {
    const report::TextStyle& style = console.out_style;
    if (options.json) {
        console.out << to_json(outcome.record).dump(2) << '\n';
    } else if (options.quiet) {
        console.err << unread_text(outcome.record);
        console.out << verdict_text(outcome.record, style);
    } else if (!options.full) {
        constexpr std::size_t kMostFailures = 3;  // and at most as many tensors with NaN
        console.out << title_text(outcome.record, style) << '\n'
                    << summary_text(&outcome.record, outcome.timing ? &*outcome.timing : nullptr,
                                    style)
                    << (options.stages && outcome.timing ? stages_text(*outcome.timing, style) : "")
                    << verdict_text(outcome.record, style, kMostFailures);
    } else {
        print_all(outcome, console);
    }
}

// Without a page no points are kept.
std::optional<timed_run::RunTimer> timer_of(const RunOptions& options,
                                            const config::LoadedRun& loaded,
                                            timed_run::LaunchCache& launches) {
    if (options.no_timing) {
        require(!options.draws.count && !options.draws.are_replayed,
                "{} draws times, leave out --no-timing",
                options.draws.count ? "--draws" : "--replay-draws");
        return std::nullopt;
    }
    timed_run::TimerOptions timer{.draws = options.draws.draws(), .cache = &launches};
    timer.budget.num_launches = pipeline::num_launches(loaded.pipeline);
    timer.budget.focus =
        focus_of(options.focus, launch_names(loaded.pipeline), loaded.arch, loaded.run.mesh);
    if (!options.report) {
        timer.budget.points = 0;
        timer.budget.cb_points = 0;
    }
    return timed_run::RunTimer(loaded.run.name, timed_run::machine_of(loaded), timer);
}

// Each step of a shared launch has the time of the launch.
void note_times(const report::TimingReport& timing, const pipeline::PipelineSpec& pipeline,
                report::RunRecord& record) {
    record.makespan = timing.makespan;
    record.bound = timing.bound;
    std::size_t step = 0;
    for (const report::LaunchReport& launch : timing.launches) {
        for (const std::size_t end = end_of_launch(pipeline, step); step < end; ++step) {
            // A run that failed may have timed a step that it did not record.
            if (step < record.steps.size()) {
                record.steps[step].device_time = launch.device_time;
                record.steps[step].bound = launch.bound;
            }
        }
    }
}

/// Files that a run reads and writes. They are opened before the run, since each may be refused.
struct RunDoors {
    RunDoors(const RunOptions& options, const config::LoadedRun& loaded,
             pipeline::InputFile inputs_of_run)
        : inputs(std::move(inputs_of_run)),
          launches(launch_cache_folder()),
          taker(timer_of(options, loaded, launches), options.trace,
                options.each_constant ? timed_run::Keeping::Trace : timed_run::Keeping::Nothing),
          state(options.state, loaded) {
        if (options.outputs) {
            outputs.emplace(*options.outputs, pipeline::output_tensors(loaded));
        }
    }
    pipeline::RunModes modes(const RunOptions& options, const config::LoadedRun& loaded) {
        return taker.modes(options.timing_only ? pipeline::timing_only(loaded.pipeline)
                                               : pipeline::RunModes{});
    }
    pipeline::RunFiles files(const RunOptions& options) {
        return {.inputs = inputs,
                .outputs = outputs ? &*outputs : nullptr,
                .state = state.old(),
                .new_state = state.writer(),
                .kernels = replaced_kernels(options.kernels)};
    }

    pipeline::InputFile inputs;
    std::optional<SafetensorsWriter> outputs;
    timed_run::LaunchCache launches;
    timed_run::TraceTaker taker;
    StateFile state;
};

/// Contents of a report in addition to the times.
void complete_timing(const config::LoadedRun& loaded, Outcome& outcome) {
    report::TimingReport& timing = *outcome.timing;
    timing.assumed = report::assumed_shares(timing, loaded.resolved);
    report::note_bounds(outcome.record.least_work, timing);
    note_times(timing, loaded.pipeline, outcome.record);
    timing.moe = outcome.record.experts;
    timing.stages = outcome.record.stages;
    timing.sources = report::source_texts(timing, [&](const std::string& name) {
        const auto beside = std::filesystem::path(loaded.pipeline.folder) / name;
        const bool is_hidden =
            loaded.pipeline.hides_folder && std::filesystem::is_regular_file(beside);
        return is_hidden ? beside : kernel_file(name);
    });
}

// Writes the report of a run that an error ended. The process ends with that error, so a second
// error is printed here.
void write_unfinished(const RunOptions& options, const config::LoadedRun& loaded, Outcome outcome,
                      const Console& console) {
    outcome.record.inputs = options.inputs.value_or("");
    try {
        complete_timing(loaded, outcome);
        report::write_report(*options.report, *outcome.timing, loaded.resolved, &outcome.record);
        const std::size_t num_steps = outcome.record.steps.size();
        console.err << fmt::format("tessera: {} holds the error and the {} step{} before it\n",
                                   *options.report, num_steps, num_steps == 1 ? "" : "s");
    } catch (const Error& error) {
        console.err << fmt::format("tessera: the report of the failed run was not written: {}\n",
                                   error.what());
    }
}

/// Returns the notes of the steps that ended. The cause of an error is often an earlier step.
std::string notes_before_error(const report::RunRecord& unfinished) {
    constexpr std::size_t kMost = 8;
    const std::string notes = report::notes_text(unfinished, kMost);
    return notes.empty() ? "" : "tessera: before the error:\n" + notes;
}

/// Replays the trace with each constant at both ends of its range.
std::vector<report::ConstantEffect> effects_of_constants(const config::LoadedRun& loaded,
                                                         Trace trace, ProgressLine& progress) {
    const compare::RecordedRun run{
        loaded.run.name, std::move(trace), timed_run::machine_of(loaded), {}, progress.counter()};
    progress.begin("moving each constant", advise::cost_of_sensitivity(run));
    return advise::sensitivity(run);
}

Outcome run_loaded(const RunOptions& options, const config::LoadedRun& loaded,
                   const pipeline::InputFile& inputs, const Console& console) {
    RunDoors doors(options, loaded, inputs);
    ProgressLine progress(console);
    const auto on_step = [&](const pipeline::StepStart& step) {
        if (!options.quiet) {
            progress.step(step.name, step.number, step.num_steps);
        }
    };
    const pipeline::RunModes modes = doors.modes(options, loaded);
    report::RunRecord unfinished;
    pipeline::RunFiles files = doors.files(options);
    files.on_step = on_step;
    files.unfinished = &unfinished;
    Outcome outcome;
    try {
        outcome.record = pipeline::run_pipeline(loaded, modes, files);
    } catch (...) {
        progress.end();
        console.err << notes_before_error(unfinished);
        if (options.report && unfinished.error) {
            write_unfinished(options, loaded, {std::move(unfinished), doors.taker.unfinished()},
                             console);
        }
        throw;
    }
    outcome.timing = doors.taker.finish();
    if (doors.outputs) {
        doors.outputs->finish();
    }
    doors.state.finish();
    report::HostTimes& host = outcome.record.host;
    host.beside = std::max(0.0, doors.taker.seconds() - host.timing);
    if (outcome.timing) {
        complete_timing(loaded, outcome);
    }
    if (options.each_constant) {
        outcome.timing->constants =
            effects_of_constants(loaded, doors.taker.take_trace(), progress);
    }
    return outcome;
}

/// Returns the choice of tessera tune for the run's shape.
std::vector<config::Override> tuned_values(const RunOptions& options,
                                           const std::vector<config::Override>& shapes) {
    if (!options.tuned) {
        return {};
    }
    require(std::filesystem::exists(*options.tuned),
            "--tuned {}: no such file; tessera tune --table makes one", *options.tuned);
    const tuning::TuningTable table(*options.tuned);
    const config::LoadedRun loaded = load(options.config, shapes);
    const tuning::Choice* choice = table.find(loaded, TESSERA_VERSION);
    const auto settings =
        table.choices().empty() ? std::vector<tuning::Setting>{} : table.choices().front().settings;
    require(choice != nullptr, "--tuned {}: no choice for {}; tessera tune makes one",
            *options.tuned, shape_of(loaded, settings));
    std::vector<config::Override> values;
    for (const tuning::Setting& setting : choice->settings) {
        values.push_back({setting.key, setting.value, "--tuned " + *options.tuned});
    }
    return values;
}

/// The configuration with the values of the options, and the file of --inputs.
struct OpenedRun {
    pipeline::InputFile inputs;
    config::LoadedRun loaded;
};

/// Hides a run file, whose folder is removed after the run, under a name.
void show_run_file_as(const std::string& name, const std::string& file, config::LoadedRun& loaded) {
    loaded.pipeline.hides_folder = true;
    for (config::ResolvedValue& value : loaded.resolved) {
        if (value.origin.text == file) {
            value.origin.text = name;
        }
    }
}

OpenedRun open_run_of(const RunOptions& options, const Console& console) {
    check_run_options(options);
    apply(options.kernel_options);
    // The first compilation of an op of the user's takes seconds.
    ProgressLine progress(console);
    if (!options.quiet) {
        progress.begin("reading the run and compiling its ops");
    }
    OpenedRun opened;
    if (options.inputs) {
        require(!options.inputs->empty(), "--inputs: the name is empty");
        opened.inputs = std::make_shared<const SafetensorsFile>(*options.inputs);
    }
    std::vector<config::Override> given = params_of(options.config, opened.inputs);
    const auto tuned = tuned_values(options, given);
    given.insert(given.end(), tuned.begin(), tuned.end());
    opened.loaded = load(options.config, given);
    require_other_files(options, opened.loaded);
    if (options.shown_as) {
        show_run_file_as(*options.shown_as, options.config.config, opened.loaded);
    }
    return opened;
}

}  // namespace

void check_run(const RunOptions& options, const Console& console) {
    const auto [inputs, loaded] = open_run_of(options, console);
    RunDoors doors(options, loaded, inputs);
    pipeline::check_before_run(loaded, doors.modes(options, loaded), doors.files(options));
}

ExitCode run(const RunOptions& options, const Console& console) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<host_profile::Sampler> sampler;
    if (options.profile_host) {
        sampler.emplace();
    }
    const auto [inputs, loaded] = open_run_of(options, console);
    const double load_seconds = seconds_since(start);
    Outcome outcome = run_loaded(options, loaded, inputs, console);
    report::RunRecord& record = outcome.record;
    record.inputs = options.inputs.value_or("");
    record.host.load = load_seconds;
    record.host.total = seconds_since(start);
    // Printed before files are written, so that a full disk does not lose the text.
    if (!options.json) {
        console.out << explain_layers(loaded.pipeline, ExplainedLayers::Auto);
    }
    print(outcome, options, console);
    console.out << std::flush;
    if (options.report) {
        console.err << focus_note(*outcome.timing);
        report::write_report(*options.report, *outcome.timing, loaded.resolved, &record);
    }
    if (sampler) {
        const double report_seconds = seconds_since(start) - record.host.total;
        const auto profile = host_profile::profile_of(sampler->stop(), host_profile::Symbols());
        console.out << '\n' << profile_text(record, report_seconds, profile, console.out_style);
    }
    return failed_steps(record).empty() ? ExitCode::Success : ExitCode::VerificationFailed;
}

Command add_run(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("run", "Run a configuration, check every step and predict its time");
    auto options = std::make_shared<RunOptions>();
    add_run_options(*command, *options);
    return {command, [options, &console] { return run(*options, console); }};
}

}  // namespace tessera::cli
