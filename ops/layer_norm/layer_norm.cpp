// SPDX-License-Identifier: Apache-2.0
#include "ops/layer_norm/layer_norm.hpp"

#include <cmath>
#include <numeric>

#include "emu/base/round_up.hpp"
#include "ops/layer_norm/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/split_strips.hpp"

namespace tessera::ops::layer_norm {
namespace {

constexpr std::array kFields{
    config::field<&NormSpec::epsilon>("epsilon", "1e-6", "added to the variance",
                                      config::Limits{0, 1}),
    config::field<&NormSpec::split>("split", "0", kSplitProse, kSplitLimits),
    config::field<&NormSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Weights and bias; a rough mean, what it leaves of the mean, and the scale.
constexpr RowOperands kOperands{.vectors = 2, .statistics = 3};

void rules(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& input = context.inputs["input"_in].spec;
    judge_split_strips(context.arch, context.params<NormSpec>().schedule(), input, kOperands,
                       judge);
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<NormSpec>();
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor& input = context.device_inputs["input"_in][p];
        const std::uint32_t columns = row_length(input.spec.shape);
        // Columns of padding are zeros in the tiles. They add nothing to the sum, but the mean's
        // square to the variance, which the kernel takes off.
        const std::uint32_t padding = round_up(columns, kStripColumns) - columns;
        // The reciprocal is computed on the host: a product costs the vector unit less than a
        // division.
        return split_strips_program(
            kSpec.name, context.arch,
            {.input = input,
             .output = context.device_outputs[only(kOutputs)][p],
             .compute = "ops/layer_norm/kernels/compute.cpp",
             .compute_args = named(ComputeArgs{.reciprocal = float_word(1.0 / columns),
                                               .padding = padding == 0 ? 0 : float_word(padding),
                                               .epsilon = float_word(spec.epsilon)}),
             .vectors = {&context.device_inputs["weight"_in][p],
                         &context.device_inputs["bias"_in][p]},
             .num_statistics = kOperands.statistics},
            spec.schedule());
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const double epsilon = context.params<NormSpec>().epsilon;
    const std::vector<float> weights = floats_of(context.read("weight"_in));
    const std::vector<float> bias = floats_of(context.read("bias"_in));
    return {for_each_row(context.read("input"_in), [&](std::size_t, std::vector<double>& values) {
        // In double and in two passes, as the definition has it.
        const auto count = static_cast<double>(values.size());
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
        double squares = 0;
        for (const double value : values) {
            squares += (value - mean) * (value - mean);
        }
        const double deviation = std::sqrt(squares / count + epsilon);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = (values[i] - mean) / deviation * static_cast<double>(weights[i]) +
                        static_cast<double>(bias[i]);
        }
    })};
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<NormSpec>(kFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::layer_norm
