// SPDX-License-Identifier: Apache-2.0
// Experts whose products take codes with scales, contiguous and batched: what they differ in is
// data.
#pragma once

#include "ops/fused_moe/roles.hpp"

namespace tessera::ops::fused_moe {

/// How operands of the products are coded, in words of the op quantise.
struct Scheme {
    const char* weight_codes;
    const char* weight_block;
    const char* activation_codes = nullptr;  ///< null: activations stay bfloat16
    const char* activation_block = nullptr;
};

/// Codes and scales of both weights, made once a layer.
void load_coded(const Scheme& scheme, Layer& layer, Steps& steps);

/// Blocks of moe_align_block_size, rows gathered by the reader of the product: as `grouped`, with
/// activations quantised before each product. Those that were dispatched in codes are taken so.
[[nodiscard]] ExpertOutput apply_grouped(const Scheme& scheme, const Layer& layer,
                                         const Dispatched& tokens, Steps& steps);

/// The first rows of each expert's batch: as `batched_masked`.
[[nodiscard]] ExpertOutput apply_batched(const Scheme& scheme, const Layer& layer,
                                         const Dispatched& tokens, Steps& steps);

}  // namespace tessera::ops::fused_moe
