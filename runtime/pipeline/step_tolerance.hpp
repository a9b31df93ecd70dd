// SPDX-License-Identifier: Apache-2.0
// Tolerance of a step's output: the op's own, and the part that the step's number formats add.
#pragma once

#include <span>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {

/// Returns whether an output must have the same bytes as the reference. Ids and indices are right
/// or wrong, whatever tolerance the op's other outputs have.
[[nodiscard]] bool is_exact(const PipelineStep& step, std::size_t output);

/// Returns the tolerance of one output with floating-point numbers.
///
/// An element may be off by the op's max_relative_error, plus
///   - one rounding to the output's format, if that is coarser than the op's tolerance (2^-4 for
///     fp8_e4m3, 2^-3 for fp8_e5m2; block formats: FormatLimits::block_step);
///   - the part of the factors that the multiplier omits: 2^-3 + 2^-5 with LoFi, 2^-5 with HiFi2,
///     2^-9 with HiFi3 (multiplier_noise);
///   - 2^-8 · √K with a 16-bit DST and sums of K terms.
/// The rms of all errors may be √(2 · (1 − min_pcc)) of the reference's rms, plus a quarter of the
/// formats' part. Noise of that size lowers the correlation of a varying reference to min_pcc. The
/// scale of all elements may be off by 2^-8. It is the op's max_relative_error if that is smaller,
/// or one rounding to the output's format if that is larger. The scale may be smaller by a quarter
/// of the multiplier's part.
/// Values of `verify` replace the op's values and the formats' part.
/// Precondition   the step is planned; the output has a floating-point format.
[[nodiscard]] CloseTolerance tolerance_of(const PipelineStep& step, std::size_t output,
                                          const VerifySpec& verify);

/// Returns the tolerance of an output of the last step against the references of all steps, run one
/// after another: the sum of the tolerances of each step, relative to the rms.
[[nodiscard]] CloseTolerance tolerance_of_chain(std::span<const PipelineStep> steps,
                                                const PipelineStep& last, std::size_t output,
                                                const VerifySpec& verify);

}  // namespace tessera::pipeline
