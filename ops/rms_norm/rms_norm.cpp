// SPDX-License-Identifier: Apache-2.0
#include "ops/rms_norm/rms_norm.hpp"

#include <cmath>
#include <numeric>

#include "ops/rms_norm/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/split_strips.hpp"

namespace tessera::ops::rms_norm {
namespace {

constexpr std::array kFields{
    config::field<&NormSpec::epsilon>("epsilon", "1e-6", "added to the mean square",
                                      config::Limits{0, 1}),
    config::field<&NormSpec::split>("split", "0", kSplitProse, kSplitLimits),
    config::field<&NormSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& input = context.inputs["input"_in].spec;
    judge_split_strips(context.arch, context.params<NormSpec>().schedule(), input, {}, judge);
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<NormSpec>();
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor& input = context.device_inputs["input"_in][p];
        // Padding columns are zeros, whose squares add nothing: the count is that of the real
        // columns.
        return split_strips_program(
            kSpec.name, context.arch,
            {.input = input,
             .output = context.device_outputs[only(kOutputs)][p],
             .compute = "ops/rms_norm/kernels/compute.cpp",
             .compute_args =
                 named(ComputeArgs{.reciprocal = float_word(1.0 / row_length(input.spec.shape)),
                                   .epsilon = float_word(spec.epsilon)}),
             .vectors = {&context.device_inputs["weight"_in][p]}},
            spec.schedule());
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const double epsilon = context.params<NormSpec>().epsilon;
    const std::vector<float> weights = floats_of(context.read("weight"_in));
    return {for_each_row(context.read("input"_in), [&](std::size_t, std::vector<double>& values) {
        // In double: thousands of squares of bfloat16 exceed the precision of float.
        const double squares =
            std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
        const double root = std::sqrt(squares / static_cast<double>(values.size()) + epsilon);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = values[i] / root * static_cast<double>(weights[i]);
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

}  // namespace tessera::ops::rms_norm
