// SPDX-License-Identifier: Apache-2.0
// tessera retime: a recorded run on another machine, without running a kernel.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "runtime/report/timing/timing_json.hpp"
#include "runtime/report/timing/timing_text.hpp"
#include "runtime/timed_run/time_trace.hpp"
#include "runtime/trace_file/trace_reader.hpp"

namespace tessera::cli {
namespace {

struct RetimeOptions {
    std::string trace;
    std::optional<std::string> arch;
    std::vector<std::string> sets;
    std::optional<std::string> report;
    bool json = false;
};

void add_options(CLI::App& command, RetimeOptions& options) {
    command.add_option("TRACE", options.trace, "A file that tessera run --trace wrote")
        ->required()
        ->type_name("");
    command
        .add_option("--arch", options.arch,
                    "The device model, as in configs/arch [the one the trace was recorded on]")
        ->type_name("FILE");
    command
        .add_option("--set", options.sets,
                    "Replace a number of the device, as often as need be: timing.noc.hop=12 cycles")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command
        .add_option("--report", options.report,
                    "Write report.html, report.json and trace.perfetto.json to a folder")
        ->type_name("DIR");
    command.add_flag("--json", options.json, "Print report.json in place of the text");
}

std::filesystem::path arch_file(const RetimeOptions& options) {
    return options.arch
               ? std::filesystem::path(*options.arch)
               : shipped_configs() / "arch" / (TraceReader(options.trace).so_far().arch + ".yaml");
}

ExitCode run(const RetimeOptions& options, const Console& console) {
    const config::LoadedArch device =
        config::load_arch(arch_file(options), config::parse_sets(options.sets));
    timed_run::TimerOptions timer;
    if (!options.report && !options.json) {
        timer.budget.points = 0;
        timer.budget.cb_points = 0;
    }
    const report::TimingReport report = timed_run::time_trace_file(options.trace, device, timer);
    if (options.report) {
        report::write_report(*options.report, report, device.resolved, nullptr);
    }
    if (options.json) {
        console.out << report::to_json(report, device.resolved, nullptr).dump() << '\n';
    } else {
        console.out << timing_text(report, console.out_style);
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
        "No kernel runs: the trace must fit the machine, which may differ in what acts cost.");
    return {command, [options, &console] { return run(*options, console); }};
}

}  // namespace tessera::cli
