// SPDX-License-Identifier: Apache-2.0
#include "ops/slice_columns/slice_columns.hpp"

#include "ops/bound.hpp"
#include "ops/shared/column_moves/column_moves.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops::slice_columns {
namespace {

using config::field;
using config::Limits;

constexpr Limits kColumns{0, 1073741824};
constexpr std::array kFields = joined(
    std::array{
        field<&SliceColumnsSpec::heads>(
            "heads", "0", "equal parts of a row, which become an axis; 0: none", Limits{0, 65536}),
        field<&SliceColumnsSpec::first>("first", "0", "first column, of a row or of a head",
                                        kColumns),
        field<&SliceColumnsSpec::columns>("columns", "0",
                                          "number of columns; 0: all from the first", kColumns),
    },
    kColumnMoveFields<SliceColumnsSpec>);

/// Returns the columns that a head has, or a row without heads.
std::uint32_t width_of(const SliceColumnsSpec& spec, std::uint32_t row) {
    // 0 heads and one head differ only in the output's axis, so both have the same width.
    return row / std::max(spec.heads, 1U);
}

std::uint32_t columns_of(const SliceColumnsSpec& spec, std::uint32_t row) {
    const std::uint32_t width = width_of(spec, row);
    return spec.columns != 0 ? spec.columns : width - std::min(width, spec.first);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<SliceColumnsSpec>();
    const TensorSpec& input = context.inputs[only(kInputs)].spec;
    const std::uint32_t row = row_length(input.shape);
    judge.require(
        row % std::max(spec.heads, 1U) == 0, "heads",
        fmt::format("is {}; allowed: a divisor of the {} columns of a row", spec.heads, row));
    const std::uint32_t columns = columns_of(spec, row);
    // The range must be within a head, since the same columns are taken from each.
    judge.require(columns > 0 && spec.first + columns <= width_of(spec, row), "first",
                  fmt::format("{} and {} columns from there on exceed the {} of a {}", spec.first,
                              columns, width_of(spec, row), spec.heads == 0 ? "row" : "head"));
    judge_column_moves(context.arch, std::uint64_t{columns} * element_bytes(input.format), spec,
                       judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<SliceColumnsSpec>();
    TensorSpec output = context.inputs[only(kInputs)].spec;
    const std::uint32_t row = row_length(output.shape);
    output.shape.pop_back();
    if (spec.heads != 0) {
        output.shape.push_back(spec.heads);
    }
    // At least 1, so that a wrong `first` reaches its rule and does not cause a message about an
    // empty tensor.
    output.shape.push_back(std::max(columns_of(spec, row), 1U));
    return {{.spec = output}};
}

ColumnMove move_of(const SliceColumnsSpec& spec, const Shape& input, const DeviceTensor* tensor) {
    const std::uint32_t row = row_length(input);
    const std::uint32_t heads = std::max(spec.heads, 1U);
    // A row becomes one output row a head: the move reads all heads of a row from the same page.
    return {.ranges = {{tensor, spec.first, columns_of(spec, row), width_of(spec, row)}},
            .rows = num_rows(input) * heads,
            .split = heads};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<SliceColumnsSpec>();
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor& input = context.device_inputs[only(kInputs)][p];
        return move_columns(kSpec.name, context.arch, move_of(spec, input.spec.shape, &input),
                            context.device_outputs[only(kOutputs)][p], spec);
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<HostTensor> inputs{context.read(only(kInputs))};
    // The same description drives kernels and reference; only the moves themselves are separate
    // code.
    return {moved_columns(
        inputs, move_of(context.params<SliceColumnsSpec>(), inputs.front().shape, nullptr),
        context.outputs[only(kOutputs)].spec.shape)};
}

LeastWork bound(const BoundContext& context) {
    return copied_bytes(context, "input");
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<SliceColumnsSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::slice_columns
