// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/inferred_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>

#include "runtime/steps/argument_meaning.hpp"
#include "runtime/steps/expression.hpp"
#include "runtime/steps/inferred_buffers.hpp"
#include "runtime/steps/inferred_tensors.hpp"

namespace tessera::pipeline {
namespace {

using Meaning = ArgumentMeaning;

/// Value of an argument with its reason; no value if it cannot be inferred.
struct Answer {
    std::string value;
    std::string reason;
};

class Inference {
public:
    Inference(std::vector<KernelFile> files, const KernelOverrides& overrides, GridSize whole)
        : files_(std::move(files)), overrides_(overrides), whole_(whole) {}

    InferredProgram infer(std::vector<InferredTensor> inputs) {
        program_.inputs = std::move(inputs);
        indices_ = buffer_indices(files_, overrides_);
        addresses_ = addresses_of(files_, overrides_);
        assign_tensors(files_, addresses_, overrides_, program_);
        choose_cores();
        for (std::size_t i = 0; i < files_.size(); ++i) {
            infer_kernel(i);
        }
        program_.buffers = infer_buffers({program_, files_, indices_, addresses_, overrides_});
        refuse_unused_options();
        return std::move(program_);
    }

private:
    // Work is split if each kernel that moves tensors has an argument for the first unit of its
    // share: without it, all cores would process the same units.
    void choose_cores() {
        const auto& counted = program_.outputs.empty() ? program_.inputs : program_.outputs;
        const std::string tensor = counted.empty() ? "" : counted.front().name;
        const KernelFile* without = nullptr;
        for (const AddressUse& use : addresses_) {
            const auto& arguments = files_[use.kernel].text.arguments;
            const bool has_first = std::ranges::any_of(arguments, [](const KernelArgument& a) {
                return meaning_of(a.variable) == Meaning::First;
            });
            without = has_first || without != nullptr ? without : &files_[use.kernel];
        }
        const bool is_split = without == nullptr && !addresses_.empty() && !tensor.empty();
        program_.grid = overrides_.grid.value_or(is_split ? whole_ : GridSize{1, 1});
        program_.units = !overrides_.units.empty() ? overrides_.units
                         : is_split                ? "pages(" + tensor + ")"
                                                   : "";
        program_.cores_reason =
            overrides_.grid || !overrides_.units.empty() ? "given"
            : is_split ? "each kernel that moves tensors has an argument for its first unit"
            : without != nullptr
                ? fmt::format("{} has no argument for the first unit of a core's share",
                              without->name)
                : "no kernel has the address of a tensor";
    }

    void infer_kernel(std::size_t kernel) {
        const KernelFile& file = files_[kernel];
        InferredKernel inferred{.file = file, .arguments = {}, .compile_args = {}};
        std::vector<KernelArgument> arguments = file.text.arguments;
        std::ranges::stable_sort(
            arguments, {}, [](const KernelArgument& a) { return std::pair(a.kind, a.index); });
        for (const KernelArgument& argument : arguments) {
            const Answer answer = answer_for(kernel, argument);
            if (answer.value.empty()) {
                program_.mistakes.push_back(unclear_text(file, argument));
            }
            inferred.has_group_counts |= argument.kind != ArgumentKind::Runtime &&
                                         answer.value.find(kUnitsPerCore) != std::string::npos;
            inferred.arguments.push_back({argument, answer.value, answer.reason});
        }
        for (const std::uint32_t line : file.text.unclear) {
            program_.mistakes.push_back(
                fmt::format("{}:{}: reads an argument whose index is known only at run time; write "
                            "a run file for this kernel (docs/first_kernel.md)",
                            file.path, line));
        }
        list_compile_args(kernel, inferred);
        program_.kernels.push_back(std::move(inferred));
    }

    static std::string unclear_text(const KernelFile& file, const KernelArgument& argument) {
        const bool is_runtime = argument.kind == ArgumentKind::Runtime;
        const std::string name = argument.kind == ArgumentKind::NamedCompileTime
                                     ? argument.name
                                     : std::to_string(argument.index);
        return fmt::format("{}:{}: {}{}: its value cannot be inferred; give it with {} {}.{}=VALUE",
                           file.path, argument.line, argument.key(),
                           argument.variable.empty() ? "" : " '" + argument.variable + "'",
                           is_runtime ? "--arg" : "--ct", file.name, name);
    }

    Answer answer_for(std::size_t kernel, const KernelArgument& argument) {
        if (const std::string* value = overridden(overrides_, files_[kernel], argument)) {
            used_.insert(value);
            return {*value, "given"};
        }
        const auto use = std::ranges::find_if(addresses_, [&](const AddressUse& candidate) {
            return candidate.kernel == kernel && candidate.argument == argument;
        });
        if (use != addresses_.end()) {
            // A missing tensor is already a mistake of its own.
            return use->tensor.empty() ? Answer{"0", "no tensor"}
                                       : Answer{fmt::format("address({})", use->tensor),
                                                use->is_written ? "the kernel writes there"
                                                                : "the kernel reads there"};
        }
        if (const auto index = indices_.find({kernel, argument.key()}); index != indices_.end()) {
            return {std::to_string(index->second), "used as a circular buffer"};
        }
        return answer_by_name(kernel, argument);
    }

    // Returns the tensor that a kernel moves: its first one; for compute, that of its results.
    [[nodiscard]] const InferredTensor* own_tensor(std::size_t kernel) const {
        const auto use = std::ranges::find(addresses_, kernel, &AddressUse::kernel);
        if (use != addresses_.end()) {
            return find_tensor(program_, use->tensor);
        }
        return !program_.outputs.empty()  ? &program_.outputs.front()
               : !program_.inputs.empty() ? &program_.inputs.front()
                                          : nullptr;
    }
    Answer answer_by_name(std::size_t kernel, const KernelArgument& argument) {
        const Meaning meaning = meaning_of(argument.variable);
        const InferredTensor* own = own_tensor(kernel);
        switch (meaning) {
            case Meaning::Count:
                return count_of(argument, own);
            case Meaning::First:
                return program_.units.empty() ? Answer{"0", "one core"}
                       : argument.kind == ArgumentKind::Runtime
                           ? Answer{"core.first", "first unit of the core"}
                           : Answer{};
            case Meaning::End:
                return program_.units.empty()
                           ? (own == nullptr
                                  ? Answer{}
                                  : Answer{fmt::format("pages({})", own->name), "one core"})
                           : Answer{"core.first + core.count", "end of the core's share"};
            case Meaning::Scratch:
                return scratch(argument);
            case Meaning::Semaphore:
                if (std::ranges::find(program_.semaphores, argument.variable) ==
                    program_.semaphores.end()) {
                    program_.semaphores.push_back(argument.variable);
                }
                return {argument.variable, "a semaphore, 0 at the start"};
            default:
                return fixed_answer(meaning, own);
        }
    }

    // Meanings whose value is an expression of the tensors alone.
    [[nodiscard]] Answer fixed_answer(Meaning meaning, const InferredTensor* own) const {
        struct Row {
            Meaning meaning;
            const char* value;  ///< {0} own tensor, {1} first input, {2} second input
            const char* reason;
        };
        constexpr std::array<Row, 14> kRows{
            {{Meaning::InDram, "1", "tensors are in DRAM"},
             {Meaning::Bank, "0", "first bank"},
             {Meaning::One, "1", "one tile, or one batch"},
             {Meaning::PageBytes, "page_size({0})", "bytes of a page of {0}"},
             {Meaning::RowTiles, "ceil_div(rows({1}), 32)", "rows of tiles of {1}"},
             {Meaning::InnerTiles, "ceil_div(columns({1}), 32)", "columns of tiles of {1}"},
             {Meaning::ColumnTiles, "ceil_div(columns({2}), 32)", "columns of tiles of {2}"},
             {Meaning::HeightTiles, "ceil_div(rows({1}), 32)", "rows of tiles of {1}"},
             {Meaning::WidthTiles, "ceil_div(columns({1}), 32)", "columns of tiles of {1}"},
             {Meaning::AreaTiles, "tiles({1})", "tiles of {1}"},
             {Meaning::CoreX, "core.x", "logical column of the core"},
             {Meaning::CoreY, "core.y", "logical row of the core"},
             {Meaning::CoreIndex, "core.index", "number of the core"},
             {Meaning::NumCores, "num_cores", "number of cores"}}};
        const auto* row = std::ranges::find(kRows, meaning, &Row::meaning);
        if (row == kRows.end() || own == nullptr) {
            return {};
        }
        const auto& inputs = program_.inputs;
        const std::string first = inputs.empty() ? own->name : inputs.front().name;
        const std::string second = inputs.size() < 2 ? first : inputs[1].name;
        const auto filled = [&](const char* text) {
            return fmt::format(fmt::runtime(text), own->name, first, second);
        };
        return {filled(row->value), filled(row->reason)};
    }

    [[nodiscard]] Answer count_of(const KernelArgument& argument, const InferredTensor* own) const {
        if (own == nullptr) {
            return {};
        }
        if (program_.units.empty()) {
            return {fmt::format("pages({})", own->name),
                    "one core moves all pages of " + own->name};
        }
        if (argument.kind == ArgumentKind::Runtime) {
            return {"core.count", "units of the core"};
        }
        return {kUnitsPerCore, "units of each core of a group"};
    }

    // A page of an interleaved tensor in L1 has one address on all cores.
    Answer scratch(const KernelArgument& argument) {
        const InferredTensor* first = program_.inputs.empty() ? nullptr : &program_.inputs.front();
        TensorSpec spec{
            {32 * whole_.columns * whole_.rows, 32}, DataFormat::Float16_b, Layout::TILE};
        if (first != nullptr && first->spec.layout == Layout::ROW_MAJOR) {
            spec = {{whole_.columns * whole_.rows, first->spec.shape.back()},
                    first->spec.format,
                    Layout::ROW_MAJOR};
        } else if (first != nullptr) {
            spec.format = first->spec.format;
        }
        const std::string name = "scratch_" + argument.variable;
        if (find_tensor(program_, name) == nullptr) {
            program_.inputs.push_back({name, spec, "zeros", "one page of L1 on each core", true});
        }
        return {fmt::format("address({})", name), "L1 of the core, one page"};
    }

    // Compile-time arguments by position; accessor(x) is as many words as the vendor's has.
    void list_compile_args(std::size_t kernel, InferredKernel& inferred) {
        std::vector<std::uint32_t> words;
        TensorAccessorArgs(Buffer{}).append_to(words);
        const auto num_words = static_cast<std::uint32_t>(words.size());
        std::map<std::uint32_t, std::pair<std::string, std::uint32_t>> places;
        std::map<std::string, std::uint32_t> ends;
        std::size_t number = 0;
        for (const KernelAccessor& accessor : files_[kernel].text.accessors) {
            const auto before = ends.find(accessor.after);
            const std::uint32_t first =
                accessor.first.value_or(before == ends.end() ? 0 : before->second);
            ends[accessor.variable] = first + num_words;
            places[first] = {
                fmt::format("accessor({})", accessed_tensor(kernel, accessor, number++)),
                num_words};
        }
        for (const InferredArgument& argument : inferred.arguments) {
            if (argument.argument.kind == ArgumentKind::CompileTime) {
                places.try_emplace(argument.argument.index, argument.value, 1);
            }
        }
        std::uint32_t next = 0;
        for (const auto& [place, entry] : places) {
            for (; next < place; ++next) {
                inferred.compile_args.emplace_back("0");
            }
            inferred.compile_args.push_back(entry.first);
            next = place + entry.second;
        }
    }

    // Without an address that names it, the n-th accessor is that of the n-th tensor.
    std::string accessed_tensor(std::size_t kernel, const KernelAccessor& accessor,
                                std::size_t number) {
        std::vector<const AddressUse*> uses;
        for (const AddressUse& use : addresses_) {
            if (use.kernel == kernel) {
                uses.push_back(&use);
            }
        }
        for (const AddressUse* use : uses) {
            if (!accessor.address.empty() && use->argument.key() == accessor.address) {
                return use->tensor;
            }
        }
        if (number < uses.size()) {
            return uses[number]->tensor;
        }
        program_.mistakes.push_back(
            fmt::format("{}:{}: no argument is the address of the tensor of {}; allowed: a runtime "
                        "argument that TensorAccessor({}, …) takes",
                        files_[kernel].path, accessor.line, accessor.variable, accessor.variable));
        return "";
    }

    void refuse_unused_options() {
        const auto refuse = [&](const char* option, const auto& values) {
            for (const auto& [key, value] : values) {
                if (!used_.contains(&value)) {
                    const bool has_kernel =
                        std::ranges::find(files_, key.first, &KernelFile::name) != files_.end();
                    program_.mistakes.push_back(
                        has_kernel
                            ? fmt::format("{} {}.{}: no such argument; the kernel's "
                                          "arguments are {}",
                                          option, key.first, key.second, arguments_text(key.first))
                            : fmt::format("{} {}.{}: no {} is among the kernels; --on says "
                                          "which kernel is one",
                                          option, key.first, key.second, key.first));
                }
            }
        };
        refuse("--arg", overrides_.args);
        refuse("--ct", overrides_.compile_args);
    }
    [[nodiscard]] std::string arguments_text(const std::string& kernel) const {
        std::string text;
        for (const KernelFile& file : files_) {
            for (const KernelArgument& argument : file.text.arguments) {
                if (file.name == kernel) {
                    text += (text.empty() ? "" : ", ") + argument.key() +
                            (argument.variable.empty() ? "" : " '" + argument.variable + "'");
                }
            }
        }
        return text.empty() ? "none" : text;
    }

    std::vector<KernelFile> files_;
    const KernelOverrides& overrides_;
    GridSize whole_;
    InferredProgram program_;
    BufferIndices indices_;
    std::vector<AddressUse> addresses_;
    std::set<const std::string*> used_;  ///< values of options
};

}  // namespace

InferredProgram infer_program(std::vector<KernelFile> files, std::vector<InferredTensor> inputs,
                              const KernelOverrides& overrides, GridSize whole) {
    return Inference(std::move(files), overrides, whole).infer(std::move(inputs));
}

}  // namespace tessera::pipeline
