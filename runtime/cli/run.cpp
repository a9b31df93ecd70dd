// SPDX-License-Identifier: Apache-2.0
// tessera run: one configuration from its inputs to a verified result.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/report/run_json.hpp"
#include "runtime/report/run_text.hpp"
#include "runtime/run/moe_input_file.hpp"
#include "runtime/run/run_workload.hpp"
#include "runtime/trace_file/trace_writer.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct RunOptions {
    ConfigOptions config;
    std::optional<std::string> inputs;
    std::optional<std::string> outputs;
    std::optional<std::string> trace;
    bool json = false;
    bool quiet = false;
};

void add_options(CLI::App& command, RunOptions& options) {
    add_config_options(command, options.config);
    add_threads_option(command, options.config);
    command
        .add_option("--inputs", options.inputs,
                    "Take the layer's tensors and shapes from a safetensors file")
        ->type_name("FILE");
    command
        .add_option("--outputs", options.outputs,
                    "Write the tensors of every step to a safetensors file")
        ->type_name("FILE");
    command
        .add_option("--trace", options.trace,
                    "Write what every kernel thread did to a file, for tessera retime")
        ->type_name("FILE");
    command.add_flag("--json", options.json, "Print the report as JSON");
    command.add_flag("--quiet", options.quiet, "Print the last line only: PASS, or what failed");
    command.footer(
        "Tensors of --inputs: hidden_states (T,H), selected_experts (T,K), routing_weights (T,K),\n"
        "device_expert_mapping (D,E/D), gate_weights and up_weights (E,H,H'), down_weights\n"
        "(E,H',H). The mesh must have the file's D devices.\n"
        "Tensors of --outputs: d<i>.num_routed_tokens, .routed_tokens, .routed_token_weights,\n"
        ".token_idx_map, .scattered, .gate, .up, .silu, .combined, .down and .local of each\n"
        "device i, and final. Without .silu if ops.activation.schedule is fused.\n"
        "Pipelines of one op take no --inputs and write d<i>.output.");
}

void require_device_count(const RunSpec& run, const run::MoeInputFile& file) {
    const MeshShape mesh = run.mesh.shape;
    require(mesh.num_devices() == file.num_devices(),
            "mesh.shape [{}, {}] has {} devices, but {} is for {}: device_expert_mapping has that "
            "many rows",
            mesh.rows, mesh.columns, mesh.num_devices(), file.path(), file.num_devices());
}

// The writer itself refuses a folder that is missing or closed to us.
void require_file_name(const char* option, const std::optional<std::string>& path) {
    if (path) {
        require(!path->empty(), "{}: the name is empty", option);
        require(!std::filesystem::is_directory(*path), "{} {}: is a folder, allowed: a file",
                option, *path);
    }
}

// The results would take the place of the file while the run still reads from it.
void require_other_file(const char* option, const std::optional<std::string>& path,
                        const std::string& inputs) {
    std::error_code error;  // a file that is not there yet is another one
    require(!path || !std::filesystem::equivalent(inputs, *path, error),
            "{} {} is the file of --inputs", option, path.value_or(""));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print(const report::RunRecord& record, const RunOptions& options, const Console& console) {
    if (options.json) {
        console.out << to_json(record).dump(2) << '\n';
    } else if (options.quiet) {
        console.out << verdict_text(record, console.out_style);
    } else {
        console.out << to_text(record, console.out_style);
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

// Launches go to the file one by one: nobody holds the events of a whole run.
run::RunModes modes_with(std::optional<TraceWriter>& trace) {
    if (!trace) {
        return {};
    }
    return {.trace = TraceMode::On,
            .trace_sink = [&trace](const Trace& so_far, LaunchTrace&& launch) {
                trace->append(so_far, launch);
            }};
}

report::RunRecord run_loaded(const RunOptions& options, const config::LoadedRun& loaded,
                             const Inputs& inputs, const Console& console) {
    std::optional<SafetensorsWriter> outputs;  // before the run: it may be refused
    if (options.outputs) {
        outputs.emplace(*options.outputs, run::output_tensors(loaded));
    }
    std::optional<TraceWriter> trace;
    if (options.trace) {
        trace.emplace(*options.trace);
    }
    ProgressLine progress(console);
    const auto on_step = [&](const run::StepStart& step) {
        if (!options.quiet) {
            progress.show(fmt::format("[{}/{}] {}", step.number, step.num_steps, step.name));
        }
    };
    report::RunRecord record = run::run_workload(loaded, modes_with(trace),
                                                 {.inputs = inputs ? &*inputs : nullptr,
                                                  .outputs = outputs ? &*outputs : nullptr,
                                                  .on_step = on_step});
    if (outputs) {
        outputs->finish();
    }
    if (trace) {
        trace->finish();
    }
    return record;
}

ExitCode run(const RunOptions& options, const Console& console) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<run::MoeInputFile> file;
    require_file_name("--outputs", options.outputs);
    require_file_name("--trace", options.trace);
    require(!options.trace || options.trace != options.outputs,
            "--trace {} is the file of --outputs", options.trace.value_or(""));
    if (options.inputs) {
        require_other_file("--outputs", options.outputs, *options.inputs);
        require_other_file("--trace", options.trace, *options.inputs);
        file.emplace(*options.inputs);
    }
    const config::LoadedRun loaded =
        load(options.config, file ? file->shapes() : std::vector<config::Override>());
    if (file) {
        require_device_count(loaded.run, *file);
    }
    const Inputs inputs = inputs_of(loaded, file);
    const double load_seconds = seconds_since(start);
    report::RunRecord record = run_loaded(options, loaded, inputs, console);
    record.inputs = options.inputs.value_or("");
    record.host.load = load_seconds;
    record.host.total = seconds_since(start);
    print(record, options, console);
    return failed_steps(record).empty() ? ExitCode::Success : ExitCode::VerificationFailed;
}

}  // namespace

Command add_run(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("run", "Run a configuration and check every step");
    auto options = std::make_shared<RunOptions>();
    add_options(*command, *options);
    return {command, [options, &console] { return run(*options, console); }};
}

}  // namespace tessera::cli
