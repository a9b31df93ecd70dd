// SPDX-License-Identifier: Apache-2.0
// The tensors that a MoE layer starts from, drawn from the workload's seed. Those of a file are
// moe_input_file's.
#pragma once

#include "ops/moe_v2/moe_inputs.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::run {

using ops::moe_v2::MoeInputs;
using ops::moe_v2::Projection;

/// Hidden states are normal with deviation 1; weights with deviation 1/√(inner extent), so that
/// projections keep the size of their input. Values of an expert's weights do not depend on which
/// device holds it.
[[nodiscard]] MoeInputs draw_moe_inputs(const RunSpec& run);

}  // namespace tessera::run
