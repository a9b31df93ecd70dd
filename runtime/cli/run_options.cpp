// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "runtime/cli/focus_option.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
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

namespace fs = std::filesystem;

std::vector<UsedFile> written_files(const RunOptions& options) {
    std::vector<UsedFile> files;
    const auto add = [&](const char* option, const std::optional<std::string>& path) {
        if (path) {
            files.push_back({option, *path});
        }
    };
    add("--outputs", options.outputs);
    add("--trace", options.trace);
    add("--state", options.state);
    add("--report", options.report);
    const auto& prints = options.kernel_options.dprint;
    if (prints && *prints != "stderr" && *prints != "off") {
        add("--dprint", prints);
    }
    return files;
}

/// Adds the files in which the keys of a run file are: it may extend others.
void add_files_of_keys(const config::Node& node, std::vector<UsedFile>& files) {
    const fs::path file = node.origin.line != 0 ? node.origin.text : "";
    if (!file.empty() && std::ranges::find(files, file, &UsedFile::path) == files.end()) {
        files.push_back({"the run file", file});
    }
    for (const config::Entry& entry : node.entries) {
        add_files_of_keys(entry.value, files);
    }
    for (const config::Node& element : node.elements) {
        add_files_of_keys(element, files);
    }
}

std::vector<UsedFile> read_files(const RunOptions& options, const config::LoadedRun& loaded) {
    std::vector<UsedFile> files;
    add_files_of_keys(loaded.tree, files);
    if (options.inputs) {
        files.push_back({"--inputs", *options.inputs});
    }
    for (const pipeline::PipelineTensor& tensor : loaded.pipeline.tensors) {
        for (const std::string& stored : {tensor.origin.file, tensor.origin.checkpoint}) {
            if (!stored.empty()) {
                files.push_back({"tensors." + tensor.name + ".origin",
                                 fs::path(loaded.pipeline.folder) / stored});
            }
        }
    }
    for (const std::string& kernel : loaded.pipeline.kernels) {
        if (const auto path = kernel_file(kernel)) {
            files.push_back({"kernel " + kernel, *path});
        }
    }
    for (const std::string& option : options.kernels) {
        files.push_back({"--kernel", option.substr(option.find('=') + 1)});
    }
    return files;
}

void add_checked_options_without_config(CLI::App& command, RunOptions& options) {
    add_threads_option(command, options.config);
    add_files(command, options);
    add_focus_option(command, options.focus);
    add_draw_options(command, options.draws);
    add_each_constant_flag(command, options.each_constant);
    add_timing_flags(command, options);
    add_kernel_options(command, options.config, options.kernel_options);
    add_repeated_option(command, "--kernel", options.kernels, "KERNEL=FILE",
                        "Run FILE instead of a kernel: ops/moe_bmm/kernels/reader.cpp=mine.cpp");
}

}  // namespace

void add_timing_flags(CLI::App& command, RunOptions& options) {
    command.add_flag("--timing-only", options.timing_only,
                     "Predict times without computing values, which is faster; nothing is checked");
    command.add_flag("--no-timing", options.no_timing, "Compute values without predicting times");
}

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
    require_ending("--outputs", options.outputs, ".safetensors");
    require_ending("--state", options.state, ".safetensors");
    require_folder_name("--report", options.report);
    if (options.report) {
        report::require_report_places(*options.report);
    }
    require_different(written_files(options), {});
}

void require_other_files(const RunOptions& options, const config::LoadedRun& loaded) {
    require_different(written_files(options), read_files(options, loaded));
}

}  // namespace tessera::cli
