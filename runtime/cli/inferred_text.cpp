// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/inferred_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/report/text_table.hpp"

namespace tessera::cli {
namespace {

using pipeline::ArgumentKind;
using pipeline::InferredArgument;
using pipeline::InferredKernel;
using pipeline::InferredProgram;
using pipeline::InferredTensor;

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

std::string list_of(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) {
        text += (text.empty() ? "" : ", ") + quoted(value);
    }
    return "[" + text + "]";
}

std::string tensor_keys(const InferredTensor& tensor) {
    const TensorSpec& spec = tensor.spec;
    return fmt::format("shape: [{}], dtype: {}, layout: {}{}{}", fmt::join(spec.shape, ", "),
                       name_of(spec.format), spec.layout == Layout::TILE ? "tile" : "row_major",
                       tensor.is_in_l1 ? ", memory: l1" : "",
                       tensor.origin.empty() ? "" : ", origin: " + tensor.origin);
}

// Runtime arguments by index; those that the kernel does not read are 0.
std::vector<std::string> values_by_index(const InferredKernel& kernel, ArgumentKind kind) {
    std::vector<std::string> values;
    for (const InferredArgument& argument : kernel.arguments) {
        if (argument.argument.kind == kind) {
            values.resize(std::max<std::size_t>(values.size(), argument.argument.index + 1), "0");
            values[argument.argument.index] = argument.value;
        }
    }
    return values;
}

std::string named_values(const InferredKernel& kernel) {
    std::string text;
    for (const InferredArgument& argument : kernel.arguments) {
        if (argument.argument.kind == ArgumentKind::NamedCompileTime) {
            text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", argument.argument.name,
                                quoted(argument.value));
        }
    }
    return text;
}

std::string with_replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

std::string kernel_keys(const InferredKernel& kernel, const RunFileKeys& keys) {
    std::string text = fmt::format("        - path: {}\n          on: {}\n",
                                   quoted(kernel.file.path), role_of(kernel.file.processor));
    const auto add = [&](const char* key, const std::string& value) {
        text += fmt::format("          {}: {}\n", key, value);
    };
    if (!kernel.compile_args.empty()) {
        add("compile_args", list_of(kernel.compile_args));
    }
    if (const std::string named = named_values(kernel); !named.empty()) {
        add("named_compile_args", "{" + named + "}");
    }
    if (const auto args = values_by_index(kernel, ArgumentKind::Runtime); !args.empty()) {
        add("args", list_of(args));
    }
    if (const auto args = values_by_index(kernel, ArgumentKind::Common); !args.empty()) {
        add("common_args", list_of(args));
    }
    if (!kernel.file.defines.empty()) {
        std::string defines;
        for (const auto& [name, value] : kernel.file.defines) {
            defines += fmt::format("{}{}: {}", defines.empty() ? "" : ", ", name, quoted(value));
        }
        add("defines", "{" + defines + "}");
    }
    if (kernel.file.processor == Processor::Compute) {
        for (const std::string& key : keys.compute) {
            text += "          " + key + "\n";
        }
    }
    return text;
}

// A compile-time argument has one value, so each group of cores has a kernel of its own.
std::string kernels_text(const InferredKernel& kernel, const RunFileKeys& keys) {
    std::string text = kernel_keys(kernel, keys);
    if (!kernel.has_group_counts) {
        return text;
    }
    return text + "          cores: core_group_1\n" +
           with_replaced(text, "units_per_core_group_1", "units_per_core_group_2") +
           "          cores: core_group_2\n";
}

std::string program_text(const InferredProgram& program, const RunFileKeys& keys) {
    std::string text =
        fmt::format("    program:\n      cores: {{grid: [{}, {}]{}}}\n", program.grid.columns,
                    program.grid.rows,
                    program.units.empty() ? "" : ", split_work_to_cores: " + quoted(program.units));
    if (!program.buffers.empty()) {
        text += "      cbs:\n";
        for (const auto& buffer : program.buffers) {
            text += fmt::format(
                "        {}: {{format: {}, pages: {}{}}}\n", buffer.index, buffer.format,
                quoted(buffer.pages),
                buffer.page_size.empty() ? "" : ", page_size: " + quoted(buffer.page_size));
        }
    }
    if (!program.semaphores.empty()) {
        text +=
            fmt::format("      semaphores: {{{}: 0}}\n", fmt::join(program.semaphores, ": 0, "));
    }
    text += "      kernels:\n";
    for (const InferredKernel& kernel : program.kernels) {
        text += kernels_text(kernel, keys);
    }
    return text;
}

std::string shape_text(const InferredTensor& tensor) {
    return fmt::format("{} {}, {}", fmt::join(tensor.spec.shape, "x"), name_of(tensor.spec.format),
                       tensor.spec.layout == Layout::TILE ? "tile" : "row_major");
}

/// A row of the table.
struct InferredRow {
    std::string what;
    std::string value;
    std::string reason;
    std::string option;
};

std::vector<InferredRow> rows_of(const InferredProgram& program) {
    std::vector<InferredRow> rows;
    for (const InferredTensor& tensor : program.inputs) {
        rows.push_back({"in " + tensor.name, shape_text(tensor), tensor.reason, "--layout"});
    }
    for (const InferredTensor& tensor : program.outputs) {
        rows.push_back({"out " + tensor.name, shape_text(tensor), tensor.reason, "--out"});
    }
    rows.push_back({"cores",
                    fmt::format("{}x{}{}", program.grid.columns, program.grid.rows,
                                program.units.empty() ? "" : ", split " + program.units),
                    program.cores_reason, "--grid, --units"});
    for (const auto& buffer : program.buffers) {
        rows.push_back({fmt::format("cb {}", buffer.index),
                        fmt::format("{}, {} pages{}", buffer.format, buffer.pages,
                                    buffer.page_size.empty() ? "" : " of " + buffer.page_size),
                        buffer.reason, fmt::format("--cb {}=", buffer.index)});
    }
    for (const InferredKernel& kernel : program.kernels) {
        rows.push_back(
            {kernel.file.name, std::filesystem::path(kernel.file.path).filename().string(),
             kernel.file.is_added ? "no such kernel is given; moves tiles in order" : "given",
             "--on"});
        for (const InferredArgument& argument : kernel.arguments) {
            const auto& read = argument.argument;
            const bool is_runtime = read.kind == ArgumentKind::Runtime;
            rows.push_back(
                {fmt::format("  {} {}", read.key(), read.variable), argument.value, argument.reason,
                 fmt::format("--{} {}.{}=", is_runtime ? "arg" : "ct", kernel.file.name,
                             read.name.empty() ? std::to_string(read.index) : read.name)});
        }
    }
    return rows;
}

}  // namespace

std::string run_file_text(const InferredProgram& program, const RunFileKeys& keys) {
    std::string text = fmt::format(
        "# Written by tessera kernel run.\nmesh: {{device: {}, shape: [1, 1]}}\noutput_names: "
        "plain\n",
        quoted(keys.device));
    std::vector<std::string> inputs;
    if (!program.inputs.empty()) {
        text += "tensors:\n";
    }
    for (const InferredTensor& tensor : program.inputs) {
        text += fmt::format("  {}: {{{}}}\n", tensor.name, tensor_keys(tensor));
        inputs.push_back(tensor.name);
    }
    text +=
        fmt::format("steps:\n  - name: kernel\n    in: [{}]\n    out:\n", fmt::join(inputs, ", "));
    for (const InferredTensor& tensor : program.outputs) {
        text += fmt::format("      {}: {{{}}}\n", tensor.name, tensor_keys(tensor));
    }
    text += program_text(program, keys);
    if (!keys.reference.empty()) {
        text += "    reference: " + quoted(keys.reference) + "\n";
    } else if (!keys.reference_file.empty()) {
        text += "    reference: {file: " + quoted(keys.reference_file) + "}\n";
    }
    return text;
}

std::string inference_text(const InferredProgram& program, const report::TextStyle& style) {
    using report::Align;
    std::vector<report::Column> columns{{"inferred", Align::Left, 9, {}},
                                        {"value", Align::Left, 8, {}},
                                        {"because", Align::Left, 7, {}},
                                        {"option", Align::Left, 6, {}}};
    for (const InferredRow& row : rows_of(program)) {
        columns[0].cells.push_back({row.what});
        columns[1].cells.push_back({row.value});
        columns[2].cells.push_back({row.reason});
        columns[3].cells.push_back({row.option});
    }
    return to_text(columns, style);
}

nlohmann::ordered_json inference_json(const InferredProgram& program) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const InferredRow& row : rows_of(program)) {
        const std::size_t first = row.what.find_first_not_of(' ');
        rows.push_back({{"what", row.what.substr(first)},
                        {"value", row.value},
                        {"reason", row.reason},
                        {"option", row.option}});
    }
    return rows;
}

}  // namespace tessera::cli
