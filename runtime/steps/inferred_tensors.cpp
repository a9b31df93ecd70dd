// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/inferred_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/steps/argument_meaning.hpp"
#include "runtime/steps/inferred_buffers.hpp"

namespace tessera::pipeline {
namespace {

bool is_address(const KernelFile& file, const KernelArgument& argument) {
    return argument.kind == ArgumentKind::Runtime &&
           (file.text.addresses.contains(argument.key()) ||
            meaning_of(argument.variable) == ArgumentMeaning::Address);
}

// By the transfers that use the address; without any, by its name.
bool is_written(const KernelFile& file, const KernelArgument& argument) {
    bool is_read = false;
    for (const KernelTransfer& transfer : file.text.transfers) {
        if (!transfer.arguments.contains(argument.key())) {
            continue;
        }
        if (transfer.is_write) {
            return true;
        }
        is_read = true;
    }
    constexpr std::array<std::string_view, 3> kOutputs{"dst", "out", "result"};
    return !is_read && std::ranges::any_of(kOutputs, [&](std::string_view name) {
        return argument.variable.find(name) != std::string::npos;
    });
}

// "src0_addr" may be the tensor src0.
std::string stem_of(const std::string& variable) {
    const std::size_t end = variable.find("_addr");
    return end == variable.npos ? variable : variable.substr(0, end);
}

/// Rules for the shape of an output, by a word of a kernel.
struct ShapeRule {
    const char* word;
    const char* reason;
    Shape (*shape)(const std::vector<InferredTensor>& inputs);
};

Shape with_extents(Shape shape, std::uint32_t rows, std::uint32_t columns) {
    if (shape.size() < 2) {
        shape.insert(shape.begin(), 2 - shape.size(), 1);
    }
    shape[shape.size() - 2] = rows;
    shape.back() = columns;
    return shape;
}
std::uint32_t rows_of(const Shape& shape) {
    return shape.size() < 2 ? 1 : shape[shape.size() - 2];
}
Shape product_shape(const std::vector<InferredTensor>& inputs) {
    const Shape& first = inputs.front().spec.shape;
    return inputs.size() < 2 ? first
                             : with_extents(first, rows_of(first), inputs[1].spec.shape.back());
}
Shape transposed_shape(const std::vector<InferredTensor>& inputs) {
    const Shape& shape = inputs.front().spec.shape;
    return with_extents(shape, shape.back(), rows_of(shape));
}
Shape row_sums_shape(const std::vector<InferredTensor>& inputs) {
    const Shape& shape = inputs.front().spec.shape;
    return with_extents(shape, rows_of(shape), 1);
}
Shape column_sums_shape(const std::vector<InferredTensor>& inputs) {
    const Shape& shape = inputs.front().spec.shape;
    return with_extents(shape, 1, shape.back());
}
Shape sum_shape(const std::vector<InferredTensor>& inputs) {
    return with_extents(inputs.front().spec.shape, 1, 1);
}

constexpr std::array<ShapeRule, 7> kShapeRules{
    {{"matmul_tiles", "compute multiplies its inputs", product_shape},
     {"matmul_block", "compute multiplies its inputs", product_shape},
     {"transpose_wh_tile", "compute transposes", transposed_shape},
     {"REDUCE_ROW", "compute reduces rows", row_sums_shape},
     {"REDUCE_COL", "compute reduces columns", column_sums_shape},
     {"REDUCE_SCALAR", "compute reduces to one element", sum_shape},
     {"", "as the first input",
      [](const std::vector<InferredTensor>& inputs) { return inputs.front().spec.shape; }}}};

// The words of a kernel and of its defines: a program may define REDUCE_DIM.
bool has_word(const std::vector<KernelFile>& files, const std::string& word) {
    return std::ranges::any_of(files, [&](const KernelFile& file) {
        return file.text.words.contains(word) ||
               std::ranges::any_of(file.defines, [&](const auto& define) {
                   return define.second.find(word) != std::string::npos;
               });
    });
}

void infer_shape(const std::vector<KernelFile>& files, const std::vector<InferredTensor>& inputs,
                 InferredTensor& output) {
    const auto* rule = std::ranges::find_if(kShapeRules, [&](const ShapeRule& candidate) {
        return *candidate.word == '\0' || has_word(files, candidate.word);
    });
    output.spec.shape = rule->shape(inputs);
    output.reason = rule->reason;
}

/// Gives tensors to the addresses of one direction.
class Assignment {
public:
    Assignment(const std::vector<KernelFile>& files, std::vector<AddressUse>& addresses,
               InferredProgram& program)
        : files_(files), addresses_(addresses), program_(program) {}

    void assign(bool to_written, const std::vector<InferredTensor>& tensors, const char* option) {
        std::vector<AddressUse*> open;
        for (AddressUse& use : addresses_) {
            if (use.is_written == to_written) {
                open.push_back(&use);
            }
        }
        std::vector<std::string> left;
        for (const InferredTensor& tensor : tensors) {
            const auto named = std::ranges::find_if(open, [&](const AddressUse* use) {
                return use->tensor.empty() && stem_of(use->argument.variable) == tensor.name;
            });
            if (named != open.end()) {
                (*named)->tensor = tensor.name;
            } else {
                left.push_back(tensor.name);
            }
        }
        auto next = left.begin();
        for (AddressUse* use : open) {
            if (use->tensor.empty() && next != left.end()) {
                use->tensor = *next++;
            }
        }
        report(open, {next, left.end()}, tensors.size(), option);
    }

private:
    void report(const std::vector<AddressUse*>& uses, const std::vector<std::string>& left,
                std::size_t num_tensors, const char* option) {
        for (const AddressUse* use : uses) {
            if (use->tensor.empty()) {
                const KernelFile& file = files_[use->kernel];
                program_.mistakes.push_back(fmt::format(
                    "{}:{}: {} '{}' is the address of a tensor, and there {} only {}; give one "
                    "more with {}, or its value with --arg {}.{}=VALUE",
                    file.path, use->argument.line, use->argument.key(), use->argument.variable,
                    num_tensors == 1 ? "is" : "are", num_tensors, option, file.name,
                    use->argument.index));
            }
        }
        for (const std::string& name : left) {
            program_.mistakes.push_back(
                fmt::format("{} {}: no kernel has an argument for its address", option, name));
        }
    }

    const std::vector<KernelFile>& files_;
    std::vector<AddressUse>& addresses_;
    InferredProgram& program_;
};

}  // namespace

std::vector<AddressUse> addresses_of(const std::vector<KernelFile>& files,
                                     const KernelOverrides& overrides) {
    std::vector<AddressUse> uses;
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::vector<AddressUse> of_kernel;
        for (const KernelArgument& argument : files[i].text.arguments) {
            // A value that an option gives needs no tensor.
            if (is_address(files[i], argument) &&
                overridden(overrides, files[i], argument) == nullptr) {
                of_kernel.push_back({i, argument, is_written(files[i], argument), ""});
            }
        }
        std::ranges::sort(of_kernel, {}, [](const AddressUse& use) { return use.argument.index; });
        uses.insert(uses.end(), of_kernel.begin(), of_kernel.end());
    }
    return uses;
}

void assign_tensors(const std::vector<KernelFile>& files, std::vector<AddressUse>& addresses,
                    const KernelOverrides& overrides, InferredProgram& program) {
    Assignment assignment(files, addresses, program);
    assignment.assign(false, program.inputs, "--in");
    const auto num_written =
        static_cast<std::size_t>(std::ranges::count(addresses, true, &AddressUse::is_written));
    program.outputs = overrides.outputs;
    for (std::size_t i = program.outputs.size(); i < num_written; ++i) {
        program.outputs.push_back({.name = num_written == 1 ? "out" : fmt::format("out{}", i),
                                   .spec = {},
                                   .origin = {},
                                   .reason = {}});
    }
    for (InferredTensor& output : program.outputs) {
        if (program.inputs.empty()) {
            if (output.spec.shape.empty()) {
                program.mistakes.push_back(fmt::format(
                    "the shape of {} cannot be inferred without an input; give --out {}=512x512",
                    output.name, output.name));
                output.spec.shape = {1, 1};
            }
            continue;
        }
        if (output.spec.shape.empty()) {
            output.spec = program.inputs.front().spec;
            infer_shape(files, program.inputs, output);
        }
    }
    assignment.assign(true, program.outputs, "--out");
    if (program.outputs.empty()) {
        program.mistakes.emplace_back(
            "no kernel writes a tensor, so that there is no result; add the kernel that does");
    }
}

}  // namespace tessera::pipeline
