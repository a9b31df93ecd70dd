// SPDX-License-Identifier: Apache-2.0
// Binds the block `program:` of a step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/fields/tensor_fields.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "runtime/config/program_values.hpp"
#include "runtime/kernels/kernel_roots.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "runtime/steps/tensor_expression.hpp"
#include "runtime/steps/yaml_program.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<DataMovementProcessor>{
    EnumName<DataMovementProcessor>{"riscv_0", DataMovementProcessor::RISCV_0},
    EnumName<DataMovementProcessor>{"riscv_1", DataMovementProcessor::RISCV_1},
};

template <>
inline constexpr std::array kEnumNames<NOC>{
    EnumName<NOC>{"noc_0", NOC::NOC_0},
    EnumName<NOC>{"noc_1", NOC::NOC_1},
};

namespace {

using pipeline::CoreChoice;
using pipeline::PipelineStep;
using pipeline::ProgramBuffer;
using pipeline::ProgramCores;
using pipeline::ProgramKernel;
using pipeline::ProgramSemaphore;
using pipeline::ProgramSpec;
using pipeline::Scope;

/// Binds one program; `path` is the path of its keys. Arguments stay text: their values depend on
/// the device and the core, and are evaluated when the program is built.
class ProgramBinder : private ProgramValues {
public:
    using ProgramValues::ProgramValues;

    ProgramSpec bind(const Node& node) {
        if (!is_map(node, path_)) {
            return {};
        }
        binder_.refuse_unknown(node, path_ + ".", kProgramKeys);
        if (const Node* cores = node.find("cores")) {
            bind_cores(*cores);
        }
        if (const Node* include = node.find("include")) {
            bind_include(*include);
        }
        each(node, "cbs", [&](const Entry& entry) { bind_buffer(entry); });
        each(node, "semaphores", [&](const Entry& entry) { bind_semaphore(entry); });
        const Node* kernels = node.find("kernels");
        if (kernels == nullptr || kernels->kind != NodeKind::Sequence ||
            kernels->elements.empty()) {
            binder_.mistake(kernels == nullptr ? node : *kernels, path_ + ".kernels",
                            "expected a list of kernels, found " +
                                (kernels == nullptr ? std::string("nothing") : describe(*kernels)));
            return std::move(spec_);
        }
        for (const Node& kernel : kernels->elements) {
            bind_kernel(kernel);
        }
        return std::move(spec_);
    }

private:
    // Binds the program's own cores: the grid over which its units are split.
    void bind_cores(const Node& node) {
        const std::string path = path_ + ".cores";
        if (!is_map(node, path)) {
            return;
        }
        binder_.refuse_unknown(node, path + ".", kCoresKeys);
        plain(node, "first", path, spec_.first);
        plain(node, "grid", path, spec_.grid);
        if (const Node* grid = node.find("grid");
            grid != nullptr && (spec_.grid.columns == 0) != (spec_.grid.rows == 0)) {
            binder_.mistake(
                *grid, path + ".grid",
                fmt::format("[{}, {}] has no core, allowed: [0, 0], which is all of the "
                            "device, or extents of at least 1",
                            spec_.grid.columns, spec_.grid.rows));
        }
        text(node, "split_work_to_cores", path, spec_.units);
    }

    // Binds `cores` of a kernel, buffer or semaphore; without the key, all cores of the program.
    void bind_choice(const Node& map, const std::string& path, CoreChoice& choice) {
        const Node* node = map.find("cores");
        if (node == nullptr) {
            return;
        }
        const std::string full = path + ".cores";
        if (node->kind == NodeKind::Sequence) {
            choice.cores = ProgramCores::Ranges;
            if (node->elements.empty()) {
                binder_.mistake(*node, full, "expected at least one [[x, y], [x, y]], found none");
            }
            for (const Node& range : node->elements) {
                bind_range(range, full, choice);
            }
        } else if (node->text == "core_group_1" || node->text == "core_group_2") {
            choice.cores =
                node->text == "core_group_1" ? ProgramCores::Group1 : ProgramCores::Group2;
        } else if (node->text != "all") {
            binder_.mistake(*node, full,
                            describe(*node) +
                                ", allowed: all, core_group_1, core_group_2, or a "
                                "list of [[x, y], [x, y]]");
        }
    }
    // Binds one rectangle of cores; its corners may be expressions.
    void bind_range(const Node& node, const std::string& path, CoreChoice& choice) {
        binder_.guarded(node, path, [&] {
            require(node.kind == NodeKind::Sequence && node.elements.size() == 2,
                    "expected [[x, y], [x, y]], found {}", describe(node));
            std::array<CoreCoord, 2> ends;
            for (std::size_t i = 0; i < 2; ++i) {
                const auto parsed =
                    Value<CoreCoord>::parse(binder_.evaluated(node.elements[i], names_));
                const auto* mistake = std::get_if<Mistake>(&parsed);
                require(mistake == nullptr, "{}", mistake == nullptr ? "" : mistake->text);
                ends[i] = std::get<CoreCoord>(parsed);
            }
            choice.ranges.emplace_back(ends[0], ends[1]);
        });
    }

    // Binds the folders of headers; a relative one starts at the folder of the run file.
    void bind_include(const Node& node) {
        const std::string path = path_ + ".include";
        if (node.kind != NodeKind::Sequence) {
            binder_.mistake(node, path, "expected a list of folders, found " + describe(node));
            return;
        }
        for (const Node& folder : node.elements) {
            if (!binder_.is_word(folder, path, "a folder")) {
                continue;
            }
            const auto place = binder_.target.file.parent_path() / folder.text;
            if (!std::filesystem::is_directory(place)) {
                binder_.mistake(folder, path, fmt::format("{} is not a folder", place.string()));
                continue;
            }
            spec_.include_folders.push_back(place.string());
            binder_.resolve_word(folder, path, folder.text);
        }
    }

    // Binds one CB. Its key is the CB index, whose limit depends on the device.
    void bind_buffer(const Entry& entry) {
        const std::string path = fmt::format("{}.cbs.{}", path_, entry.key);
        const std::uint32_t num_buffers = binder_.target.arch.l1.num_circular_buffers;
        ProgramBuffer buffer;
        unsigned index = 0;
        const char* const end = entry.key.data() + entry.key.size();
        const auto [rest, error] = std::from_chars(entry.key.data(), end, index);
        if (error != std::errc{} || rest != end || index >= num_buffers) {
            binder_.binding.violations.add(
                entry.origin, path,
                fmt::format("invalid circular buffer '{}' of {}, allowed: 0 to {}", entry.key,
                            binder_.target.arch.name, num_buffers - 1));
            return;
        }
        if (!is_map(entry.value, path)) {
            return;
        }
        buffer.index = static_cast<std::uint8_t>(index);
        binder_.refuse_unknown(entry.value, path + ".", kBufferKeys);
        plain(entry.value, "format", path, buffer.format);
        plain(entry.value, "tile", path, buffer.tile);
        text(entry.value, "pages", path, buffer.pages);
        text(entry.value, "page_size", path, buffer.page_size);
        text(entry.value, "tensor", path, buffer.tensor);
        bind_choice(entry.value, path, buffer.cores);
        spec_.buffers.push_back(std::move(buffer));
    }

    // Binds one semaphore: its initial value alone, or a map.
    void bind_semaphore(const Entry& entry) {
        const std::string path = fmt::format("{}.semaphores.{}", path_, entry.key);
        // Expressions name a semaphore, and names with a dot are Tessera's: core.first, mesh.rows.
        if (entry.key.find('.') != std::string::npos) {
            binder_.binding.violations.add(
                entry.origin, path,
                fmt::format("invalid name '{}'; allowed: a name without a dot", entry.key));
            return;
        }
        ProgramSemaphore semaphore{.name = entry.key};
        if (entry.value.kind == NodeKind::Scalar) {
            semaphore.initial = entry.value.text;
            binder_.resolve_word(entry.value, path, semaphore.initial);
        } else if (is_map(entry.value, path)) {
            binder_.refuse_unknown(entry.value, path + ".", kSemaphoreKeys);
            text(entry.value, "initial", path, semaphore.initial);
            bind_choice(entry.value, path, semaphore.cores);
        }
        spec_.semaphores.push_back(std::move(semaphore));
    }

    /// `reader`, `writer`, `compute`, or {riscv: riscv_0, noc: noc_1}.
    void bind_processor(const Node& node, const std::string& path, ProgramKernel& kernel) {
        const Node* on = node.find("on");
        if (on == nullptr) {
            binder_.mistake(node, path + ".on", "required key is missing");
        } else if (on->kind == NodeKind::Map) {
            binder_.refuse_unknown(*on, path + ".on.", {"riscv", "noc"});
            if (on->entries.empty()) {
                binder_.mistake(*on, path + ".on",
                                "is empty, allowed: reader, writer, compute, or {riscv: riscv_0, "
                                "noc: noc_1}");
            }
            plain(*on, "riscv", path + ".on", kernel.processor);
            // A processor without a NoC has the default of DataMovementConfig.
            kernel.noc = kernel.processor == DataMovementProcessor::RISCV_0 ? NOC::RISCV_0_default
                                                                            : NOC::RISCV_1_default;
            plain(*on, "noc", path + ".on", kernel.noc);
        } else if (on->text == "compute") {
            kernel.is_compute = true;
        } else if (on->text == "reader" || on->text == "writer") {
            const bool is_reader = on->text == "reader";
            kernel.processor =
                is_reader ? DataMovementProcessor::RISCV_1 : DataMovementProcessor::RISCV_0;
            // RISCV_1 on NoC 0 and RISCV_0 on NoC 1, as tt-metal's ReaderDataMovementConfig and
            // WriterDataMovementConfig.
            kernel.noc = is_reader ? NOC::NOC_0 : NOC::NOC_1;
        } else {
            binder_.mistake(*on, path + ".on",
                            describe(*on) +
                                ", allowed: reader, writer, compute, or {riscv: "
                                "riscv_0, noc: noc_1}");
        }
    }

    // Refuses settings of the matrix and vector units on a processor that only moves data.
    void refuse_compute_keys(const Node& node, const std::string& path,
                             const ProgramKernel& kernel) {
        for (const char* key : {"math_fidelity", "fp32_dest_acc", "math_approx_mode"}) {
            const Node* value = node.find(key);
            if (value != nullptr && !kernel.is_compute) {
                binder_.mistake(*value, fmt::format("{}.{}", path, key),
                                "has no effect on a kernel that moves data; allowed with on: "
                                "compute");
            }
        }
    }

    // Binds one kernel. Defines are substituted here: they do not depend on the device.
    void bind_kernel(const Node& node) {
        const std::string path = fmt::format("{}.kernels[{}]", path_, spec_.kernels.size());
        ProgramKernel kernel;
        if (!is_map(node, path)) {
            return;
        }
        binder_.refuse_unknown(node, path + ".", kKernelKeys);
        const Node* source = node.find("path");
        if (source == nullptr) {
            binder_.mistake(node, path + ".path", "required key is missing");
        } else {
            text(node, "path", path, kernel.path);
            if (!kernel.path.empty()) {
                check_source(*source, path + ".path");
            }
        }
        bind_processor(node, path, kernel);
        bind_choice(node, path, kernel.cores);
        words(node, "compile_args", path, kernel.compile_args);
        named_words(node, "named_compile_args", path, kernel.named_compile_args);
        words(node, "args", path, kernel.args);
        words(node, "common_args", path, kernel.common_args);
        refuse_compute_keys(node, path, kernel);
        plain(node, "math_fidelity", path, kernel.math_fidelity);
        plain(node, "fp32_dest_acc", path, kernel.fp32_dest_acc);
        plain(node, "math_approx_mode", path, kernel.math_approx_mode);
        if (const Node* defines = node.find("defines");
            defines != nullptr && is_map(*defines, path + ".defines")) {
            for (const Entry& define : defines->entries) {
                const bool is_macro = std::ranges::all_of(
                    define.key, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
                if (!is_macro || define.key.empty() || std::isdigit(define.key.front()) != 0) {
                    binder_.binding.violations.add(
                        define.origin, path + ".defines",
                        fmt::format(
                            "'{}' is not the name of a macro; allowed: letters, digits and _",
                            define.key));
                    continue;
                }
                kernel.defines[define.key] = pipeline::substitute(define.value.text, names_);
            }
        }
        spec_.kernels.push_back(std::move(kernel));
    }
    // A missing file is reported with its line here, before any program is built.
    void check_source(const Node& node, const std::string& path) {
        // Kernels next to the run file come first; find_kernel_file() searches the other folders.
        const auto beside = binder_.target.file.parent_path() / node.text;
        if (std::filesystem::is_regular_file(beside)) {
            return;
        }
        binder_.guarded(node, path, [&] {
            (void)find_kernel_file(node.text, kernel_roots(spec_.include_folders));
        });
    }

    ProgramSpec spec_;
};

/// Binds `reference: gelu(x + bias)`, or `reference: {file: expected.safetensors, tensor: y}`.
void bind_reference(PipelineBinder& binder, const Node& step, const std::string& path,
                    const PipelineStep& spec, ProgramSpec& program) {
    const Node* node = step.find("reference");
    if (node == nullptr) {
        return;
    }
    const std::string full = path + ".reference";
    if (node->kind == NodeKind::Map) {
        const Node* file = node->find("file");
        const Node* tensor = node->find("tensor");
        binder.refuse_unknown(*node, full + ".", {"file", "tensor"});
        if (file == nullptr) {
            binder.mistake(*node, full + ".file", "required key is missing");
            return;
        }
        if (!binder.is_word(*file, full + ".file", "the name of a file") ||
            (tensor != nullptr &&
             !binder.is_word(*tensor, full + ".tensor", "the name of a tensor"))) {
            return;
        }
        program.reference_file = file->text;
        program.reference_tensor = tensor == nullptr ? "" : tensor->text;
        binder.resolve_word(*node, full, to_yaml(*node));
        return;
    }
    if (!binder.is_word(*node, full, "an expression or {file: …}")) {
        return;
    }
    binder.guarded(*node, full, [&] {
        for (const std::string& name : pipeline::tensor_names(node->text)) {
            require(std::ranges::find(spec.inputs, name) != spec.inputs.end(),
                    "'{}': {} is not an input of the step; its inputs are {}", node->text, name,
                    spec.inputs.empty() ? "none" : fmt::format("{}", fmt::join(spec.inputs, ", ")));
        }
        // An expression has one value; several outputs need a file.
        require(spec.outputs.size() == 1,
                "an expression is the reference of one output; the step has {}",
                spec.outputs.size());
        program.reference = node->text;
        binder.resolve_word(*node, full, node->text);
    });
}

}  // namespace

std::shared_ptr<const ops::Op> bind_program(PipelineBinder& binder, const Node& step,
                                            const std::string& path, const PipelineStep& spec,
                                            const Scope& names) {
    ProgramSpec program =
        ProgramBinder(binder, path + ".program", names).bind(*step.find("program"));
    bind_reference(binder, step, path, spec, program);
    std::vector<pipeline::ProgramOutput> outputs;
    for (const pipeline::StepOutput& output : spec.outputs) {
        // A program has no function that infers its outputs.
        if (!output.shape || !output.format) {
            const std::string key = path + ".out." + output.name;
            // A shape that is not valid is reported already.
            if (!binder.binding.violations.has_below(key) && !binder.rules.has_below(key)) {
                binder.binding.violations.add(
                    output.place, key,
                    "a program's output needs its shape and dtype: {shape: [M, N], dtype: "
                    "bfloat16}");
            }
            return nullptr;
        }
        outputs.push_back(
            {output.name,
             {.spec = {*output.shape, *output.format, output.layout.value_or(Layout::ROW_MAJOR),
                       output.tile.value_or(Tile())}}});
    }
    return make_program_op(spec.name, std::move(program), spec.inputs, std::move(outputs),
                           names.flat(), binder.target.file.parent_path().string());
}

}  // namespace tessera::config
