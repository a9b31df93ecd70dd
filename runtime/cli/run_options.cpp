// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/run_options.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "runtime/cli/focus_option.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/report/timing/report_files.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

void add_files(CLI::App& command, RunOptions& options) {
    const auto add_file = [&](const char* name, std::optional<std::string>& file,
                              const char* about) {
        command.add_option(name, file, about)->type_name("FILE");
    };
    add_file("--inputs", options.inputs,
             "Read tensors, and the params that their shapes give, from a safetensors file; it "
             "must have every tensor that would be drawn");
    add_file(
        "--state", options.state,
        "Read persistent tensors from a safetensors file, if it is there, and write them back");
    add_file("--tuned", options.tuned,
             "Use the choice for this shape from a table of tessera tune");
    add_file("--outputs", options.outputs, "Write the tensors of every step to a safetensors file");
    add_file("--trace", options.trace,
             "Write the events of every kernel thread to a file, for tessera retime");
    command
        .add_option("--report", options.report,
                    "Write report.html, report.json and trace.perfetto.json to a folder")
        ->type_name("DIR");
}

// The results would replace the file while the run still reads from it.
void require_other_file(const char* option, const std::optional<std::string>& path,
                        const std::optional<std::string>& inputs) {
    std::error_code error;  // a file that does not exist yet is another file
    require(!path || !inputs || !std::filesystem::equivalent(*inputs, *path, error),
            "{} {} is the file of --inputs", option, path.value_or(""));
}

void add_checked_options_without_config(CLI::App& command, RunOptions& options) {
    add_threads_option(command, options.config);
    add_files(command, options);
    add_focus_option(command, options.focus);
    add_draw_options(command, options.draws);
    add_each_constant_flag(command, options.each_constant);
    command.add_flag("--timing-only", options.timing_only,
                     "Predict times without computing values, which is faster; nothing is checked");
    command.add_flag("--no-timing", options.no_timing, "Compute values without predicting times");
    add_kernel_options(command, options.config, options.kernel_options);
    add_repeated_option(command, "--kernel", options.kernels, "KERNEL=FILE",
                        "Run FILE instead of a kernel: ops/moe_bmm/kernels/reader.cpp=mine.cpp");
}

}  // namespace

void add_run_options_without_config(CLI::App& command, RunOptions& options) {
    add_checked_options_without_config(command, options);
    command.add_flag("--json", options.json, "Print the record of the run as JSON");
    command.add_flag("--quiet", options.quiet, "Print the last line only: PASS, or what failed");
    add_full_flag(command, options.full);
    command.add_flag("--profile-host", options.profile_host,
                     "Print where the host's time went: by phase, op and kind of work");
    command.footer(
        "Tensors of --inputs replace the run file's tensors of the same names. The run names\n"
        "those that it does not read, and refuses a name with one wrong letter. Tensors of\n"
        "--outputs are those of the run file's `outputs`: d<i>.NAME of each device i, or NAME\n"
        "if every device holds the same bytes.");
}

void add_checked_options(CLI::App& command, RunOptions& options) {
    add_config_options(command, options.config);
    add_checked_options_without_config(command, options);
}

void add_run_options(CLI::App& command, RunOptions& options) {
    add_config_options(command, options.config);
    add_run_options_without_config(command, options);
}

void check_run_options(const RunOptions& options) {
    require(!options.timing_only || !options.no_timing,
            "--timing-only and --no-timing exclude each other");
    require(!options.report || !options.no_timing, "--report shows times, leave out --no-timing");
    require(options.focus.empty() || options.report, "--focus is drawn in a report, add --report");
    require(!options.each_constant || options.report,
            "--each-constant is drawn in a report, add --report");
    require(!options.profile_host || !options.json, "--profile-host prints text, leave out --json");
    require(!options.full || (!options.json && !options.quiet),
            "--full prints all of the text, leave out {}", options.json ? "--json" : "--quiet");
    require(!options.outputs || !options.timing_only,
            "--outputs needs values, leave out --timing-only");
    require_file_name("--outputs", options.outputs);
    require_file_name("--trace", options.trace);
    require_file_name("--state", options.state);
    require_folder_name("--report", options.report);
    if (options.report) {
        report::require_report_places(*options.report);
    }
    require(!options.trace || options.trace != options.outputs,
            "--trace {} is the file of --outputs", options.trace.value_or(""));
    require_other_file("--outputs", options.outputs, options.inputs);
    require_other_file("--trace", options.trace, options.inputs);
}

}  // namespace tessera::cli
