// SPDX-License-Identifier: Apache-2.0
// attention_decode with a cache whose latents are fp8.
#pragma once

#include "ops/attention_decode/attention_decode.hpp"

namespace tessera::ops::attention_decode_fp8 {

inline constexpr OpSpec kSpec{
    .name = "attention_decode_fp8",
    .summary = "attention of heads over a paged cache of latents in fp8 with scales",
    .schedules = attention_decode::kSchedules,
    .inputs = attention_decode::kFp8Inputs,
    .outputs = attention_decode::kOutputs,
    .tolerance = attention_decode::kSpec.tolerance,
};

/// Returns the op, for the registry: as attention_decode, with latent_k = bfloat16(code · scale of
/// its 128 columns). Rows of `cache` have a position's C codes, those of `cache_scale` its ⌈C/128⌉
/// scales, those of `rope_cache` its R rotated elements, which stay bfloat16. All three have the
/// same pages; a row of each tensor is a position or a page.
///
/// Source   vLLM, fp8_ds_mla: a row of bytes holds e4m3 codes of the normalised latent, a float32
///          scale for each 128 of them, and the rotated part in bfloat16. Here these are three
///          tensors, because rows of 656 bytes start at addresses that reads cannot use.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::attention_decode_fp8
