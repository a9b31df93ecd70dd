// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/step_tolerance.hpp"

#include <algorithm>
#include <cmath>

#include "emu/tile/format/integer.hpp"
#include "ops/contract.hpp"
#include "runtime/steps/number_noise.hpp"

namespace tessera::pipeline {
namespace {

/// Number of elements with the largest allowed error that the sums over all elements tolerate. One
/// fp8 code in a tensor of a few rows would otherwise decide the correlation.
constexpr double kOutliers = 4;
/// Largest error of scale of an op with a wider tolerance: one rounding of a constant to bfloat16.
/// With the tolerance of elements (0.05 for all steps in an earlier rule) a scale of 1.01 passed.
constexpr double kLargestScaleError = 0x1p-8;

/// Returns a step's parameter as text; empty if the op has no such key.
std::string parameter(const PipelineStep& step, std::string_view key) {
    const auto fields = step.op->params.fields;
    const auto field = std::ranges::find(fields, key, &config::Field::key);
    const void* const parameters = step.parameters.get().object();
    return field == fields.end() || parameters == nullptr ? "" : field->show(parameters);
}

MathFidelity fidelity_of(const PipelineStep& step) {
    // By key, because only the op knows the type of its parameters.
    const std::string word = parameter(step, "math_fidelity");
    for (const MathFidelity fidelity :
         {MathFidelity::LoFi, MathFidelity::HiFi2, MathFidelity::HiFi3}) {
        if (word == name_of(fidelity)) {
            return fidelity;
        }
    }
    return MathFidelity::HiFi4;
}

/// Returns the number of terms of the sums that the elements are; 1 for ops without sums.
double terms_of(const PipelineStep& step) {
    const ops::OpSpec& spec = step.op->spec;
    ops::ShapeSymbols symbols;
    for (std::size_t i = 0; !spec.tolerance.summed.empty() && i < step.input_plans.size(); ++i) {
        (void)symbols.match(spec.inputs[i].shape, step.input_plans[i].spec.shape);
    }
    return static_cast<double>(symbols.value(spec.tolerance.summed).value_or(1));
}

/// Returns the error that a 16-bit DST adds to a sum: five standard deviations of its roundings.
/// There is up to one rounding for each term, of partial sums that grow as √n.
double dst_noise(const PipelineStep& step) {
    const bool is_rounded =
        !step.op->spec.tolerance.summed.empty() && parameter(step, "fp32_dest_acc") == "false";
    return is_rounded ? rounding_of(DataFormat::Float16_b) * std::sqrt(terms_of(step)) : 0;
}

}  // namespace

bool is_exact(const PipelineStep& step, std::size_t output) {
    return step.op->spec.tolerance.max_relative_error == 0 ||
           tile::is_integer_format(step.output_plans[output].spec.format);
}

CloseTolerance tolerance_of(const PipelineStep& step, std::size_t output,
                            const VerifySpec& verify) {
    const ops::Tolerance& own = step.op->spec.tolerance;
    const DataFormat format = step.output_plans[output].spec.format;
    // The op's tolerance covers one rounding to bfloat16; a coarser output needs its own.
    const double rounding = rounding_of(format);
    const double multiplier = own.formats + multiplier_noise(fidelity_of(step));
    const double added =
        multiplier + dst_noise(step) + (rounding > own.max_relative_error ? rounding : 0);
    const double element = verify.max_relative_error.value_or(own.max_relative_error + added);
    // Denormal factors have fewer bits than the multiplier's slices omit: their errors are as large
    // as those of the smallest normal number, 2^-126.
    FormatLimits limits = limits_of(format);
    limits.spacing += terms_of(step) * multiplier_noise(fidelity_of(step)) * 0x1p-126;
    // A user who allows larger errors of elements must get larger sums of them, too.
    const double widened = verify.max_relative_error.value_or(added);
    // Noise of r times the rms lowers the PCC to about 1 − r²/2, so that one number gives both
    // limits.
    const double noise = std::sqrt(2 * (1 - verify.min_pcc.value_or(own.min_pcc))) +
                         (verify.min_pcc ? 0 : widened / 4);
    return {
        .pcc_min = 1 - noise * noise / 2,
        .max_rel_err = element,
        .floor = own.floor,
        .max_rms_err = noise,
        .max_scale_err = std::max(std::min(own.max_relative_error, kLargestScaleError), rounding) +
                         verify.max_relative_error.value_or(0),
        .max_shrinking = multiplier / 4,
        .outliers = kOutliers,
        .format = limits};
}

CloseTolerance tolerance_of_chain(std::span<const PipelineStep> steps, const PipelineStep& last,
                                  std::size_t output, const VerifySpec& verify) {
    CloseTolerance sum = tolerance_of(last, output, verify);
    for (const PipelineStep& step : steps) {
        CloseTolerance widest;
        // The widest output of a step counts: which of them the last step depends on is unknown.
        widest.max_rms_err = widest.max_scale_err = 0;
        for (std::size_t i = 0; i < step.outputs.size() && &step != &last; ++i) {
            if (is_exact(step, i)) {
                continue;
            }
            // Limits of the user are those of the last step; earlier ones keep their own.
            const CloseTolerance own = tolerance_of(step, i, {});
            widest.max_rel_err = std::max(widest.max_rel_err, own.max_rel_err);
            widest.max_rms_err = std::max(widest.max_rms_err, own.max_rms_err);
            widest.max_scale_err = std::max(widest.max_scale_err, own.max_scale_err);
            widest.max_shrinking = std::max(widest.max_shrinking, own.max_shrinking);
        }
        sum.max_rel_err += verify.max_relative_error ? 0 : widest.max_rel_err;
        sum.max_rms_err += verify.min_pcc ? 0 : widest.max_rms_err;
        sum.max_scale_err += widest.max_scale_err;
        sum.max_shrinking += widest.max_shrinking;
    }
    // An error of an earlier step is relative to the rms of its tensor; it may reach a small
    // element of the last one through a sum.
    sum.floor = 1;
    sum.pcc_min = 1 - sum.max_rms_err * sum.max_rms_err / 2;
    return sum;
}

}  // namespace tessera::pipeline
