// SPDX-License-Identifier: Apache-2.0
#include "ops/join_columns/join_columns.hpp"

#include "ops/shared/column_moves/column_moves.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops::join_columns {
namespace {

constexpr std::array kFields =
    joined(std::array{config::field<&JoinColumnsSpec::merge_heads>(
               "merge_heads", "false", "whether the last but one axis becomes part of the row")},
           kColumnMoveFields<JoinColumnsSpec>);

std::uint32_t heads_of(const JoinColumnsSpec& spec, const Shape& input) {
    // Without an axis of heads merge_heads is refused; until then one head keeps the arithmetic
    // defined.
    return spec.merge_heads && input.size() > 1 ? input[input.size() - 2] : 1;
}

ColumnMove move_of(const JoinColumnsSpec& spec, const std::vector<Shape>& inputs,
                   const std::vector<const DeviceTensor*>& tensors) {
    ColumnMove move{.ranges = {}, .groups = heads_of(spec, inputs["a"_in])};
    // Heads that are merged are groups of one row of the output.
    move.rows = num_rows(inputs["a"_in]) / move.groups;
    // Inputs are consecutive ranges, so the kernel does not distinguish a join.
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        move.ranges.push_back({tensors[i], 0, row_length(inputs[i]), 0});
    }
    return move;
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<JoinColumnsSpec>();
    // The output keeps the format: bytes are moved and no element is converted.
    TensorSpec output = context.inputs["a"_in].spec;
    std::uint32_t columns = 0;
    for (const TensorPlan& input : context.inputs) {
        // A left-out operand has no columns; the rule below names it.
        columns += input.spec.shape.empty() ? 0 : row_length(input.spec.shape);
    }
    columns *= heads_of(spec, output.shape);
    output.shape.pop_back();
    if (spec.merge_heads && !output.shape.empty()) {
        output.shape.pop_back();
    }
    output.shape.push_back(columns);
    return {{.spec = output}};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<JoinColumnsSpec>();
    const TensorSpec& input = context.inputs["a"_in].spec;
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        // Ranges are numbered by operand, so a gap would move later operands.
        judge.require(context.has(i), kInputs[i].name, "is left out before one that is given");
    }
    judge.require(!spec.merge_heads || input.shape.size() > 1, "merge_heads",
                  fmt::format("is true, but {} has no axis of heads", to_string(input.shape)));
    const Shape output = infer(context)[only(kOutputs)].spec.shape;
    judge_column_moves(
        context.arch, std::uint64_t{row_length(output)} * element_bytes(input.format), spec, judge);
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<JoinColumnsSpec>();
    return on_each(context, [&](std::size_t p) {
        std::vector<Shape> shapes;
        std::vector<const DeviceTensor*> tensors;
        for (const auto& operand : context.device_inputs) {
            tensors.push_back(&operand[p]);
            shapes.push_back(operand[p].spec.shape);
        }
        return move_columns(kSpec.name, context.arch, move_of(spec, shapes, tensors),
                            context.device_outputs[only(kOutputs)][p], spec);
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    std::vector<HostTensor> inputs;
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        inputs.push_back(context.read(i));
        shapes.push_back(inputs.back().shape);
    }
    // The reference reads host tensors; the move needs only their number.
    const std::vector<const DeviceTensor*> none(inputs.size());
    return {moved_columns(inputs, move_of(context.params<JoinColumnsSpec>(), shapes, none),
                          context.outputs[only(kOutputs)].spec.shape)};
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<JoinColumnsSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::join_columns
