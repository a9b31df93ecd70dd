// SPDX-License-Identifier: Apache-2.0
#include "ops/softmax/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/row_strips.hpp"
#include "ops/softmax/kernels/args.hpp"

namespace tessera::ops::softmax {
namespace {

using config::field;
using config::Limits;

constexpr Limits kPositions{0, 1073741824};
// −∞ in each of the formats: its exponential is 0.
constexpr std::uint32_t kBf16Infinity = 0xFF80;
constexpr std::uint32_t kFloatInfinity = 0xFF800000;

constexpr std::array kFields{
    field<&SoftmaxSpec::scale>("scale", "1", "factor of the inputs", Limits{1e-30, 1e30}),
    field<&SoftmaxSpec::causal_rows>(
        "causal_rows", "0", "rows of one position; 0: every row sees all columns", kPositions),
    field<&SoftmaxSpec::causal_period>(
        "causal_period", "1",
        "number of positions, after which rows start at the first position again",
        Limits{1, kPositions.most}),
    field<&SoftmaxSpec::causal_first>(
        "causal_first", "0", "first position; it sees the columns up to its own", kPositions),
    field<&SoftmaxSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<SoftmaxSpec>();
    judge_row_strips(context.arch, spec.grid, context.inputs[only(kInputs)].spec, 0, judge);
    judge.require(spec.scale > 0, "scale",
                  fmt::format("is {}; allowed: a positive number", spec.scale));
    static constexpr std::array<std::string_view, 2> kOfPositions{"causal_period", "causal_first"};
    // Without a causal mask the positions change nothing, so setting them is a mistake.
    if (spec.causal_rows == 0) {
        judge_untaken(kFields, &spec, kOfPositions, "causal_rows 0", judge);
    }
    judge.require(spec.causal_period > 0, "causal_period", "is 0; allowed: at least 1");
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<SoftmaxSpec>();
    const auto scale = float_word(spec.scale);
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor& input = context.device_inputs[only(kInputs)][p];
        // Padding columns and masked ones are filled by the reader, in the input's format.
        const bool is_float = input.spec.format == DataFormat::Float32;
        return row_strips_program(kSpec.name, context.arch,
                                  {.input = input,
                                   .output = context.device_outputs[only(kOutputs)][p],
                                   .compute = "ops/softmax/kernels/compute.cpp",
                                   .compute_args = named(ComputeArgs{.scale = scale}),
                                   .fill = is_float ? kFloatInfinity : kBf16Infinity,
                                   .visible_rows = spec.causal_rows,
                                   .visible_period = spec.causal_period,
                                   .first_visible = spec.causal_first + 1},
                                  spec.grid);
    });
}

// Rows of one position, for example heads, have the same visible columns; the period is the number
// of positions.
std::size_t num_visible(const SoftmaxSpec& spec, std::size_t row, std::size_t columns) {
    return spec.causal_rows == 0
               ? columns
               : std::min(columns,
                          spec.causal_first + 1 + row / spec.causal_rows % spec.causal_period);
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<SoftmaxSpec>();
    return {for_each_row(context.read(only(kInputs)), [&](std::size_t row,
                                                          std::vector<double>& values) {
        const std::size_t seen = num_visible(spec, row, values.size());
        const auto end = values.begin() + static_cast<std::ptrdiff_t>(seen);
        // The largest is subtracted, as in the kernel: without it the exponential of 89 already
        // exceeds float.
        const double largest = *std::max_element(values.begin(), end);
        double sum = 0;
        for (auto value = values.begin(); value != end; ++value) {
            *value = std::exp((*value - largest) * spec.scale);
            sum += *value;
        }
        std::transform(values.begin(), end, values.begin(), [sum](double x) { return x / sum; });
        std::fill(end, values.end(), 0.0);
    })};
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<SoftmaxSpec>(kFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::softmax
