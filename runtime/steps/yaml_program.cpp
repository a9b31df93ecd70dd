// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/yaml_program.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "emu/base/tensor_file/safetensors.hpp"
#include "runtime/steps/number_noise.hpp"
#include "runtime/steps/program_builder.hpp"
#include "runtime/steps/tensor_expression.hpp"

namespace tessera::pipeline {
namespace {

/// An op together with the texts and operands that its spec refers to by view.
struct ProgramOp {
    ProgramSpec program;
    Scope params;
    std::string folder;
    std::string name;
    std::vector<std::string> input_names;
    std::vector<ProgramOutput> made;
    std::vector<ops::Operand> inputs;
    std::vector<ops::Operand> outputs;
    ops::Op op;
};

/// Returns the name of an output in the file of references.
const std::string& reference_name(const ProgramOp& own, const ProgramOutput& output) {
    return own.program.reference_tensor.empty() ? output.name : own.program.reference_tensor;
}

std::vector<HostTensor> reference_of(const ProgramOp& own, const ops::ReferenceContext& context) {
    std::vector<HostTensor> outputs;
    if (!own.program.reference_file.empty()) {
        const SafetensorsFile file(std::filesystem::path(own.folder) / own.program.reference_file);
        for (const ProgramOutput& output : own.made) {
            outputs.push_back(file.read(reference_name(own, output)));
        }
        return outputs;
    }
    // Read by name on demand: an expression may leave out inputs that a kernel only copies.
    const ReadTensor read = [&](std::string_view name) -> std::optional<HostTensor> {
        const auto found = std::ranges::find(own.input_names, name);
        return found == own.input_names.end()
                   ? std::nullopt
                   : std::optional(
                         context.read(static_cast<std::size_t>(found - own.input_names.begin())));
    };
    outputs.push_back(evaluate_tensors(own.program.reference, read));
    return outputs;
}

/// Returns tensors with their planned pages at address 0. That is enough to check whether a program
/// can be built; the address is only one more word of its arguments.
std::vector<std::vector<DeviceTensor>> planned_tensors(std::span<const ops::TensorPlan> plans,
                                                       const ArchSpec& arch, std::size_t devices) {
    std::vector<std::vector<DeviceTensor>> tensors;
    for (const ops::TensorPlan& plan : plans) {
        const std::uint32_t page = plan.spec.page_size();
        const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
        const Buffer buffer{.type = plan.memory,
                            .page_size = page,
                            .aligned_page_size = (page + alignment - 1) / alignment * alignment,
                            .num_pages = plan.spec.num_pages()};
        tensors.emplace_back(devices, DeviceTensor{plan.spec, buffer});
    }
    return tensors;
}

/// Checks the shape of a reference's expression, which is that of the step's only output.
void check_expression(const ProgramOp& own, const ops::OpContext& context) {
    const Shape shape = shape_of_expression(own.program.reference, [&](std::string_view name) {
        const auto found = std::ranges::find(own.input_names, name);
        if (found == own.input_names.end()) {
            return std::optional<TensorSpec>();
        }
        TensorSpec spec = context.inputs[found - own.input_names.begin()].spec;
        // A session reads them in the same form.
        spec.format = is_block_format(spec.format) ? DataFormat::Float32 : spec.format;
        return std::optional(spec);
    });
    const ProgramOutput& output = own.made.front();
    require(shape == output.plan.spec.shape, "'{}' has shape {}; the output {} is {}",
            own.program.reference, to_string(shape), output.name,
            to_string(output.plan.spec.shape));
}

/// Checks shapes of the references before the run. Otherwise the mistake would show after it.
void check_reference(const ProgramOp& own, const ops::OpContext& context, ops::RuleJudge& judge) {
    ops::judge_plan(judge, "reference", [&] {
        if (!own.program.reference.empty()) {
            check_expression(own, context);
        }
        if (own.program.reference_file.empty()) {
            return;
        }
        const SafetensorsFile file(std::filesystem::path(own.folder) / own.program.reference_file);
        for (const ProgramOutput& output : own.made) {
            const StoredTensor& stored = file.at(reference_name(own, output));
            require(stored.shape == output.plan.spec.shape,
                    "{}: {}: shape {}, allowed: {}, as the output {} that it is the reference of",
                    file.path(), stored.name, to_string(stored.shape),
                    to_string(output.plan.spec.shape), output.name);
        }
    });
}

/// Builds the program before anything runs, so that its mistakes are reported with a line of the
/// run file.
void check_program(const ProgramOp& own, const ops::OpContext& context, ops::RuleJudge& judge) {
    const auto is_sharded = [](const ops::TensorPlan& plan) { return plan.shard.has_value(); };
    if (std::ranges::any_of(context.inputs, is_sharded) ||
        std::ranges::any_of(context.outputs, is_sharded)) {
        return;  // accessors of shards need coordinates that are known after allocation only
    }
    const auto inputs = planned_tensors(context.inputs, context.arch, context.devices.size());
    const auto outputs = planned_tensors(context.outputs, context.arch, context.devices.size());
    ops::OpContext placed = context;
    placed.device_inputs = inputs;
    placed.device_outputs = outputs;
    try {
        // Programs of the other devices are built when the run is rehearsed.
        (void)build_program(own.program, own.op, placed, 0, own.params);
    } catch (const ProgramMistake& mistake) {
        judge.require(false, mistake.path(), mistake.text());
    }
}

// The number of terms in a program's sums is unknown, so elements have the tolerance of a 16-bit
// DST after about a hundred roundings.
ops::Tolerance tolerance_of(const ProgramSpec& program) {
    // The kernel with the lowest fidelity decides; others add less.
    double noise = 0;
    for (const ProgramKernel& kernel : program.kernels) {
        noise = std::max(noise, multiplier_noise(kernel.math_fidelity));
    }
    return {.max_relative_error = 0.05, .min_pcc = 0.9999, .formats = noise};
}

/// Operand without a contract: the author of a program knows its formats, and Tessera does not.
constexpr ops::Operand any_operand(std::string_view name) {
    return {.name = name,
            .shape = "any",
            .format = "any",
            .layout = "any",
            .lies = ops::Lies::Anyhow,
            .tiles = ops::Tiles::Any};
}

/// Sets the functions of the op. Closures refer to the struct that holds them: a shared_ptr here would
/// be a cycle.
void set_functions(ProgramOp& own) {
    const ProgramOp* const self = &own;
    // Outputs are stated in the run file, since nothing else knows what the kernels write.
    own.op.infer = [self](const ops::OpContext&) {
        std::vector<ops::TensorPlan> plans;
        for (const ProgramOutput& output : self->made) {
            plans.push_back(output.plan);
        }
        return plans;
    };
    // Nothing states which part of its operands a program moves, so that it has no bound.
    own.op.bound = [](const ops::BoundContext&) { return LeastWork{}; };
    own.op.rules = [self](const ops::OpContext& context, ops::RuleJudge& judge) {
        check_reference(*self, context, judge);
        check_program(*self, context, judge);
    };
    own.op.programs = [self](const ops::OpContext& context) {
        return on_each(context, [&](std::size_t position) {
            return build_program(self->program, self->op, context, position, self->params);
        });
    };
    // A program without a reference is not compared.
    if (!own.program.reference.empty() || !own.program.reference_file.empty()) {
        own.op.reference = [self](const ops::ReferenceContext& context) {
            return reference_of(*self, context);
        };
    }
}

}  // namespace

std::shared_ptr<const ops::Op> make_program_op(const std::string& step, ProgramSpec program,
                                               std::vector<std::string> inputs,
                                               std::vector<ProgramOutput> outputs,
                                               const Scope& params, const std::string& folder) {
    const auto own = std::make_shared<ProgramOp>();
    own->program = std::move(program);
    own->params = params;
    own->folder = folder;
    own->name = step;
    own->input_names = std::move(inputs);
    own->made = std::move(outputs);
    for (const std::string& name : own->input_names) {
        own->inputs.push_back(any_operand(name));
    }
    for (const ProgramOutput& output : own->made) {
        own->outputs.push_back(any_operand(output.name));
    }
    own->op.spec = {.name = own->name,
                    .summary = "a program of the run file",
                    .schedules = {},
                    .inputs = own->inputs,
                    .outputs = own->outputs,
                    .tolerance = tolerance_of(own->program)};
    set_functions(*own);
    // The pointer owns the struct and points at its op, so the op never outlives the struct.
    return {own, &own->op};
}

}  // namespace tessera::pipeline
