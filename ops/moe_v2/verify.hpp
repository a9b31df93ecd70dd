// SPDX-License-Identifier: Apache-2.0
// Checks what a step left on the devices against its op's reference, given what the step took.
#pragma once

#include <cstdint>
#include <string>

#include "ops/moe_v2/step.hpp"
#include "ops/op_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::ops::moe_v2 {

/// How a step's results compare with its reference, over all devices and valid entries.
struct StepCheck {
    std::uint64_t num_elements = 0;
    double pcc = 1;
    double max_relative_error = 0;  ///< denominator max(|reference|, rms of the reference)
    std::string failure;            ///< what is wrong, in a line; empty if the step passed

    [[nodiscard]] bool passed() const noexcept { return failure.empty(); }
};

/// Compares the outputs of `step` with the op's reference applied to the step's own inputs, both
/// read from `session`; called while both are there (Observer::after).
///
/// Only valid entries count: the first num_routed_tokens entries of each expert's table or rows;
/// all of a tensor that has no invalid ones (scattered, whose other rows are zeros, local, final).
/// Ops that move data and integers must be exact, the others within `tolerance`; all_reduce also
/// must leave the same bytes on each device.
[[nodiscard]] StepCheck verify_step(const Session& session, const Step& step, const OpsSpec& ops,
                                    const Tolerance& tolerance);

}  // namespace tessera::ops::moe_v2
