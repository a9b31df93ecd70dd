// SPDX-License-Identifier: Apache-2.0
// Functions of each expert's routed tokens, element by element: silu, mul, and both in one pass.
#pragma once

#include "ops/op.hpp"
#include "ops/shared/valid_tiles/valid_tiles.hpp"

namespace tessera::ops {

/// The parameters of silu, mul and silu_mul.
struct ActivationSpec {
    SplitBy split_by = SplitBy::Device;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< tiles that each CB holds
    bool fp32_dest_acc = true;
};

}  // namespace tessera::ops

namespace tessera::ops::expert_eltwise {

/// Return the ops, for the registry. Tiles that hold routed tokens are spread over the grid by
/// split_work_to_cores in contiguous ranges; all other tiles, and rows after the last token of an
/// expert, become zero.
///
/// silu       gate · sigmoid(gate), in DST, rounded to bfloat16 once when packed.
/// mul        gate_activated · up, the matrix unit's product, rounded to bfloat16 once when packed.
/// silu_mul   silu(gate) · up. silu(gate) stays in DST for the product: one rounding to bfloat16,
///            where silu followed by mul rounds twice.
[[nodiscard]] const Op& silu();
[[nodiscard]] const Op& mul();
[[nodiscard]] const Op& silu_mul();

}  // namespace tessera::ops::expert_eltwise
