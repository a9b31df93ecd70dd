// SPDX-License-Identifier: Apache-2.0
// What an output of a step must meet: the op's tolerance, and what the step's number formats add.
#pragma once

#include <span>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {

/// Whether an output must have the reference's bytes: ids and indices are right or wrong, whatever
/// tolerance the op's other outputs have.
[[nodiscard]] bool is_exact(const PipelineStep& step, std::size_t output);

/// The tolerance of one output of floating-point numbers.
///
/// An element may be off by the op's max_relative_error, and by
///   - one rounding to the output's format, where that is coarser than the op's tolerance (2^-4 for
///     fp8_e4m3, 2^-3 for fp8_e5m2; block formats: FormatLimits::block_step);
///   - what the multiplier leaves out of its factors, 2^-3 + 2^-5 with LoFi, 2^-5 with HiFi2, 2^-9
///     with HiFi3 (multiplier_noise);
///   - 2^-8 · √K with a 16-bit DST and sums of K terms.
/// All errors together: √(2 · (1 − min_pcc)) of the reference's rms, which is the noise that lowers
/// the correlation of a varying reference to min_pcc, and a quarter of what formats add.
/// The scale of all elements: 2^-8, or the op's max_relative_error if that is less, or one rounding
/// to the output's format if that is more; a quarter of what the multiplier leaves out may be
/// missing.
/// Values of `verify` replace the op's and what formats add.
/// Precondition   the step is planned; the output has a floating-point format.
[[nodiscard]] CloseTolerance tolerance_of(const PipelineStep& step, std::size_t output,
                                          const VerifySpec& verify);

/// The tolerance of an output of the last step against the references of all steps, one after
/// another: each step's own tolerances are added, relative to the rms.
[[nodiscard]] CloseTolerance tolerance_of_chain(std::span<const PipelineStep> steps,
                                                const PipelineStep& last, std::size_t output,
                                                const VerifySpec& verify);

}  // namespace tessera::pipeline
