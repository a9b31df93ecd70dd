// SPDX-License-Identifier: Apache-2.0
// How a layer's tokens fall on its experts.
#pragma once

#include "runtime/pipeline/moe_inputs.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::run {

/// Tokens of each expert, and the launches of the pipeline whose work grows with them.
[[nodiscard]] report::MoeLoad moe_load(const MoeInputs& inputs, const OpsSpec& ops);

}  // namespace tessera::run
