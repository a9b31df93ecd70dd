// SPDX-License-Identifier: Apache-2.0
// tessera retime: times a recorded run on another machine, without running a kernel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "emu/base/trace_file/trace_reader.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/focus_option.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/facade/device_model.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "runtime/report/timing/source_texts.hpp"
#include "runtime/report/timing/summary_text.hpp"
#include "runtime/report/timing/timing_json.hpp"
#include "runtime/report/timing/timing_text.hpp"
#include "runtime/study/sensitivity.hpp"
#include "runtime/study/time_trace.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct RetimeOptions {
    std::string trace;
    std::optional<std::string> arch;
    std::vector<std::string> sets;
    std::optional<std::string> report;
    std::vector<std::string> focus;
    DrawOptions draws;
    bool each_constant = false;
    bool json = false;
    bool full = false;
};

void add_options(CLI::App& command, RetimeOptions& options) {
    command.add_option("TRACE", options.trace, "A file that tessera run --trace wrote")
        ->required()
        ->type_name("");
    command
        .add_option("--arch", options.arch,
                    "A device model: a YAML file, or the name of one that `tessera list archs` "
                    "shows [the shipped one that the trace names]")
        ->type_name("FILE");
    add_repeated_option(command, "--set", options.sets, "KEY=VALUE",
                        "Replace a number of the device: --set 'noc.link_rate=16 B/cycle'; repeat "
                        "the option for each: --set 'timing.dram.read_latency=180 cycles'");
    command
        .add_option("--report", options.report,
                    "Write report.html, report.json and trace.perfetto.json to a folder")
        ->type_name("DIR");
    add_focus_option(command, options.focus);
    add_draw_options(command, options.draws);
    add_each_constant_flag(command, options.each_constant);
    command.add_flag("--json", options.json, "Print report.json instead of the text");
    add_full_flag(command, options.full);
}

/// Facts about a trace that was read.
struct Extent {
    std::vector<std::string> launches;  ///< by name
    std::uint64_t num_events = 0;
};

Extent extent_of(const std::string& trace) {
    TraceReader reader(trace);
    Extent extent;
    while (const auto launch = reader.next()) {
        extent.launches.push_back(launch->name);
        extent.num_events += num_events(*launch);
    }
    return extent;
}

// The launches share the budget of drawn points. Without a page no points are kept.
timed_run::TimerOptions timer_options(const RetimeOptions& options, const Trace& head,
                                      const ArchSpec& arch, const Extent& extent) {
    timed_run::TimerOptions timer{.draws = options.draws.draws()};
    if (options.report || options.json) {
        timer.budget.num_launches = extent.launches.size();
        timer.budget.focus = focus_of(options.focus, extent.launches, arch, head.mesh);
    } else {
        timer.budget.points = 0;
        timer.budget.cb_points = 0;
    }
    return timer;
}

// A message about a resource that the machine lacks names the trace and the machine.
report::TimingReport timed(const RetimeOptions& options, const Trace& head,
                           const config::LoadedArch& device, ProgressLine& progress) {
    progress.begin("reading " + options.trace);
    const Extent extent = extent_of(options.trace);
    timed_run::LaunchCache cache(launch_cache_folder());
    timed_run::TimerOptions timer = timer_options(options, head, device.arch, extent);
    timer.cache = &cache;
    progress.begin("replaying", extent.num_events * timer.draws.num_replays());
    try {
        return timed_run::time_trace_file(options.trace, device, timer, progress.counter());
    } catch (const UsageError& error) {
        const std::string what = error.what();
        require(!what.starts_with(options.trace), "{}", what);
        throw UsageError(fmt::format("{}: was recorded on {} and does not fit {}: {}",
                                     options.trace, head.arch, device.arch.name, what));
    }
}

// Kernel paths are relative to the folder in which the run started. The trace is often there or in
// a folder below.
std::optional<std::filesystem::path> source_beside(const std::filesystem::path& trace,
                                                   const std::string& name) {
    if (auto found = kernel_file(name)) {
        return found;
    }
    if (std::filesystem::path(name).is_absolute()) {
        return std::nullopt;
    }
    std::filesystem::path folder = std::filesystem::absolute(trace).lexically_normal();
    while (folder != folder.root_path()) {
        folder = folder.parent_path();
        if (auto found = kernel_file((folder / name).string())) {
            return found;
        }
    }
    return std::nullopt;
}

report::TimingReport timed_report(const RetimeOptions& options, const Trace& head,
                                  const config::LoadedArch& device, const Console& console) {
    ProgressLine progress(console);
    report::TimingReport report = timed(options, head, device, progress);
    if (options.each_constant) {
        const compare::RecordedRun run{report.run, read_trace(options.trace),
                                       timed_run::machine_of(device, head.mesh), options.trace,
                                       progress.counter()};
        progress.begin("moving each constant", advise::cost_of_sensitivity(run));
        report.constants = advise::sensitivity(run);
    }
    return report;
}

std::string title_text(const RetimeOptions& options, const Trace& head,
                       const config::LoadedArch& device) {
    const std::string sets =
        options.sets.empty() ? "" : fmt::format(" with {}", fmt::join(options.sets, ", "));
    return fmt::format("{}, recorded on {} × {} {}, timed on {}{}\n\n", options.trace,
                       head.mesh.shape.rows, head.mesh.shape.columns, head.arch, device.arch.name,
                       sets);
}

ExitCode run(const RetimeOptions& options, const Console& console) {
    require_folder_name("--report", options.report);
    require(options.focus.empty() || options.report || options.json,
            "--focus is drawn in a report, add --report");
    require(!options.each_constant || options.report || options.json,
            "--each-constant is drawn in a report, add --report");
    if (options.report) {
        report::require_report_places(*options.report);
    }
    const Trace head = TraceReader(options.trace).so_far();
    const config::LoadedArch device =
        load_device(options.arch ? find_device_model("--arch", *options.arch)
                                 : arch_of_trace(options.trace, head),
                    options.sets);
    report::TimingReport report = timed_report(options, head, device, console);
    report.sources = report::source_texts(
        report, [&](const std::string& name) { return source_beside(options.trace, name); });
    console.err << focus_note(report);
    if (options.report) {
        report::write_report(*options.report, report, device.resolved, nullptr);
    }
    if (options.json) {
        console.out << report::to_json(report, device.resolved, nullptr).dump() << '\n';
    } else {
        console.out << title_text(options, head, device)
                    << (options.full ? timing_text(report, console.out_style)
                                     : summary_text(nullptr, &report, console.out_style));
    }
    return ExitCode::Success;
}

}  // namespace

Command add_retime(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("retime", "Predict the time of a recorded run on another machine");
    auto options = std::make_shared<RetimeOptions>();
    add_options(*command, *options);
    command->footer(
        "No kernel runs. The machine must have the cores, DRAM banks and links that the trace\n"
        "uses; its speeds may differ. Keys of --set are those of the device model; `timing.`\n"
        "may be omitted.");
    return {command, [options, &console] { return run(*options, console); }};
}

}  // namespace tessera::cli
