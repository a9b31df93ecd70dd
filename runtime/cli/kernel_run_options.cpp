// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/kernel_run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

/// "a=b" as a pair. Errors   UsageError naming the option and its form.
std::pair<std::string, std::string> split_pair(const char* option, const std::string& text,
                                               const char* form) {
    const std::size_t equals = text.find('=');
    require(equals != text.npos && equals > 0 && equals + 1 < text.size(), "{} {}: expected {}",
            option, text, form);
    return {text.substr(0, equals), text.substr(equals + 1)};
}

bool is_kernel_name(const std::string& name) {
    return processor_named(name).has_value();
}

/// A file and the processor that --on gives it.
std::pair<std::string, Processor> processor_choice(const std::string& choice) {
    const auto [file, role] = split_pair("--on", choice, "FILE=PROCESSOR");
    const auto processor = processor_named(role);
    require(processor.has_value(), "--on {}: allowed: reader, writer, compute", choice);
    return {file, *processor};
}

bool names_file(const std::string& name, const std::string& path) {
    return name == path || name == std::filesystem::path(path).filename();
}

// An option for a kernel that does not exist would have no effect.
void check_chosen_files(const KernelRunOptions& options) {
    for (const std::string& choice : options.processors) {
        const std::string file = processor_choice(choice).first;
        require(std::ranges::any_of(
                    options.files, [&](const std::string& path) { return names_file(file, path); }),
                "--on {}: {} is not a kernel of this run; allowed: {}", choice, file,
                fmt::join(options.files, ", "));
    }
}

void check_kernels_of_defines(const KernelRunOptions& options) {
    for (const std::string& define : options.defines) {
        const std::string name = define.substr(0, define.find('='));
        require(name.find('.') == name.npos || is_kernel_name(name.substr(0, name.find('.'))),
                "--define {}: expected [KERNEL.]NAME=VALUE; allowed kernels: reader, writer, "
                "compute",
                define);
    }
}

void check_kernel_names(const KernelRunOptions& options) {
    check_chosen_files(options);
    check_kernels_of_defines(options);
    for (const auto& [option, values] :
         {std::pair("--arg", &options.args), std::pair("--ct", &options.compile_args)}) {
        for (const std::string& value : *values) {
            const auto [name, rest] = split_pair(option, value, "KERNEL.ARGUMENT=VALUE");
            require(is_kernel_name(name.substr(0, name.find('.'))) && name.find('.') != name.npos,
                    "{} {}: expected KERNEL.ARGUMENT=VALUE; allowed kernels: reader, writer, "
                    "compute",
                    option, value);
        }
    }
}

std::map<std::pair<std::string, std::string>, std::string> argument_values(
    const char* option, const std::vector<std::string>& texts) {
    std::map<std::pair<std::string, std::string>, std::string> values;
    for (const std::string& text : texts) {
        const auto [name, value] = split_pair(option, text, "KERNEL.ARGUMENT=VALUE");
        const std::size_t dot = name.find('.');
        values[{name.substr(0, dot), name.substr(dot + 1)}] = value;
    }
    return values;
}

std::uint32_t number_of(const std::string& option, const std::string& text) {
    std::uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    require(error == std::errc() && rest == end, "{}: '{}' is not a whole number", option, text);
    return number;
}

std::map<std::uint32_t, std::map<std::string, std::string>> buffer_values(
    const std::vector<std::string>& texts) {
    std::map<std::uint32_t, std::map<std::string, std::string>> values;
    constexpr const char* kForm = "INDEX=pages:N,format:FORMAT,page_size:N";
    for (const std::string& text : texts) {
        const auto [index, keys] = split_pair("--cb", text, kForm);
        for (const std::string& part : parts_of(keys, ',')) {
            const std::size_t colon = part.find(':');
            const std::string key = part.substr(0, colon);
            require(colon != part.npos && (key == "pages" || key == "format" || key == "page_size"),
                    "--cb {}: '{}' is unknown; allowed: {}", text, part, kForm);
            values[number_of("--cb " + text, index)][key] = part.substr(colon + 1);
        }
    }
    return values;
}

GridSize grid_named(const std::string& text) {
    const std::size_t cross = text.find('x');
    require(cross != text.npos, "--grid {}: expected COLUMNSxROWS, such as 8x8", text);
    const std::string option = "--grid " + text;
    return {number_of(option, text.substr(0, cross)), number_of(option, text.substr(cross + 1))};
}

void add_inference_options(CLI::App& command, KernelRunOptions& options) {
    add_repeated_option(command, "--arg", options.args, "KERNEL.ARGUMENT=VALUE",
                        "Runtime argument by index or variable: --arg reader.2=core.first");
    add_repeated_option(command, "--ct", options.compile_args, "KERNEL.ARGUMENT=VALUE",
                        "Compile-time argument by index, name or variable");
    add_repeated_option(command, "--cb", options.buffers, "INDEX=KEY:VALUE,...",
                        "Circular buffer: --cb 0=pages:8,format:float32,page_size:2048");
    add_repeated_option(command, "--define", options.defines, "[KERNEL.]NAME=VALUE",
                        "Define a word as a program would, for all kernels or for one");
    add_repeated_option(command, "--on", options.processors, "FILE=PROCESSOR",
                        "Processor of a kernel: reader, writer or compute");
    const auto add = [&](const char* name, std::string& value, const char* type,
                         const char* about) {
        // An empty value would count as an option that is not given.
        command.add_option(name, value, about)->type_name(type)->check([](const std::string& text) {
            return text.empty() ? "the value is empty; leave the option out, or give a value" : "";
        });
    };
    add("--grid", options.grid, "COLUMNSxROWS", "Cores that run the kernels");
    add("--units", options.units, "VALUE", "Units of work that are split over the cores");
    add("--fidelity", options.fidelity, "NAME", "LoFi, HiFi2, HiFi3 or HiFi4 [HiFi4]");
    add("--reference", options.reference, "VALUE",
        "Expected output: an expression of the inputs, or a safetensors file");
    add("--device", options.device, "NAME", "Device model [wormhole_n150]");
    command.add_flag("--fp32-dest-acc", options.fp32_dest_acc, "Compute with a 32-bit DST");
    command.add_flag("--math-approx", options.math_approx, "Approximate functions of the SFPU");
    command
        .add_option("--save", options.save,
                    "Keep the inferred run file, and the kernels that Tessera adds, in a folder")
        ->type_name("DIR");
}

void add_files_of_run(CLI::App& command, RunOptions& run) {
    command.add_option("--outputs", run.outputs, "Write the outputs to a safetensors file")
        ->type_name("FILE");
    command.add_option("--trace", run.trace, "Write the events of every kernel thread to a file")
        ->type_name("FILE");
    command
        .add_option("--report", run.report,
                    "Write report.html, report.json and trace.perfetto.json to a folder")
        ->type_name("DIR");
    add_timing_flags(command, run);
    command.add_flag("--json", run.json, "Print the record of the run as JSON, with `inferred`");
    command.add_flag("--quiet", run.quiet, "Print the last line only: PASS, or what failed");
    add_full_flag(command, run.full);
    add_set_option(command, run.config.sets);
    add_threads_option(command, run.config);
    add_kernel_options(command, run.config, run.kernel_options);
}

}  // namespace

void add_kernel_run_options(CLI::App& command, KernelRunOptions& options) {
    add_tensor_options(command, options.tensors);
    add_inference_options(command, options);
    add_files_of_run(command, options.run);
}

pipeline::KernelOverrides overrides_of(const KernelRunOptions& options) {
    check_kernel_names(options);
    pipeline::KernelOverrides overrides;
    overrides.args = argument_values("--arg", options.args);
    overrides.compile_args = argument_values("--ct", options.compile_args);
    overrides.buffers = buffer_values(options.buffers);
    overrides.units = options.units;
    if (!options.grid.empty()) {
        overrides.grid = grid_named(options.grid);
    }
    return overrides;
}

Defines defines_of(const KernelRunOptions& options, const std::string& kernel) {
    Defines defines;
    for (const std::string& define : options.defines) {
        const std::size_t equals = define.find('=');
        std::string name = define.substr(0, equals);
        const std::size_t dot = name.find('.');
        if (dot != name.npos && name.substr(0, dot) != kernel) {
            continue;
        }
        name = dot == name.npos ? name : name.substr(dot + 1);
        defines[name] = equals == define.npos ? "1" : define.substr(equals + 1);
    }
    return defines;
}

std::optional<Processor> chosen_processor(const KernelRunOptions& options,
                                          const std::string& path) {
    for (const std::string& choice : options.processors) {
        const auto [file, processor] = processor_choice(choice);
        if (names_file(file, path)) {
            return processor;
        }
    }
    return std::nullopt;
}

std::optional<Processor> processor_named(const std::string& name) {
    for (const Processor processor : {Processor::Riscv1, Processor::Compute, Processor::Riscv0}) {
        if (name == role_of(processor)) {
            return processor;
        }
    }
    return std::nullopt;
}

}  // namespace tessera::cli
