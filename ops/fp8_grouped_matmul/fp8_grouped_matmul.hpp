// SPDX-License-Identifier: Apache-2.0
// Grouped product of fp8 rows and fp8 weights with one scale per block, over the CTAs that
// moe_permutation planned: both products of the FP8 block-scale pipeline.
#pragma once

#include <array>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

struct GroupedMatmulSpec {
    std::uint32_t tile = 8;  ///< tokens of a CTA, as in moe_permutation
    DataFormat output = DataFormat::Fp8_e4m3;
    GridSize grid;                ///< cores to spread over; 0×0: all that the device offers
    bool join_ctas = true;        ///< whether CTAs of an expert that fit in a tile share a unit
    bool both_nocs = true;        ///< whether reader and writer share the reads of weights
    bool weight_shards = true;    ///< shards of weights, if a run states no memory
    std::uint32_t row_chunk = 8;  ///< blocks of K that one push of token rows brings
    std::uint32_t k_push = 1;     ///< blocks of K that one push of weights brings
    std::uint32_t cb_depth = 2;   ///< pushes that a CB holds
};

}  // namespace tessera::ops

namespace tessera::ops::fp8_grouped_matmul {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"activations", "(R, K)", "fp8_e4m3", "ROW_MAJOR"},
    Operand{"activation_scale", "(K/128, R)", "float32", "ROW_MAJOR"},
    Operand{.name = "weights",
            .shape = "(E, N, K)",
            .format = "fp8_e4m3",
            .layout = "TILE",
            .lies = Lies::Anyhow},
    Operand{"weight_scale", "(E, N/128, K/128)", "float32", "ROW_MAJOR"},
    Operand{"cta_idx_xy_to_batch_idx", "(C)", "int32", "ROW_MAJOR"},
    Operand{"cta_idx_xy_to_mn_limit", "(C)", "int32", "ROW_MAJOR"},
    Operand{"num_non_exiting_ctas", "(1)", "int32", "ROW_MAJOR"},
    Operand{.name = "permuted_idx_to_token_idx",
            .shape = "(P)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(P, N)", "fp8_e4m3 | bfloat16 | float32", "ROW_MAJOR"},
    Operand{.name = "output_scale",
            .shape = "(N/128, P)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};

/// Positions of operands by their names: "activations"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "fp8_grouped_matmul",
    .summary = "each expert's token rows times its weights, both fp8 with block scales",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = fp8::kOneCode,
};

/// Returns the op, for the registry.
///
/// output[p, n] = Σ_b s_a[b, row(p)] · s_w[e, n/128, b] · Σ_{k in block b} a[row(p), k] · w[e, n,
/// k] for every permuted row p that holds a token of expert e; row(p) is
/// permuted_idx_to_token_idx[p], or p without it. Other rows of the output are unchanged. Rows of
/// the output and of its scale are those of the tables: P = C · tile.
///
/// Numeric  a block's 128 products are summed in fp32 by ascending k. The sum is multiplied by
///          (s_a · s_w), rounded once, and added to the sum of the previous blocks, in fp32.
///          bfloat16: rounded once to nearest even. fp8_e4m3: codes of x / scale with a scale of
///          ScaleRule::Trtllm for each row and 128 columns.
///
/// The unit of work is a group of CTAs and 128 output columns. A group has one CTA, or with
/// `join_ctas` CTAs of an expert whose rows fit in a tile of 32: weights are read once for them,
/// which is the fastest at 128 tokens. With `both_nocs` the writer of a core reads the weights of some
/// banks over NoC 1 (shared/bank_nocs.hpp); this is the fastest on a Wormhole. Cores take contiguous
/// shares of the units; each core computes its share from device memory. A core tilizes a group's
/// rows once and keeps them in L1 for its blocks of columns.
///
/// With `weight_shards` one read brings the four tiles of a block and a K step: packets of 4 KiB in
/// place of 1 KiB. configs/runs/fp8_deepseek_v3.yaml takes 1.27 × its bound in place of 1.30 on a
/// Wormhole, and 1.51 in place of 1.61 on a Blackhole. Shards of a whole block were slower: cores
/// that begin a column together then read from few banks, 19 % longer with 32 tokens and K = 2048.
/// Errors   UsageError if the contract or a rule of the op does not hold: 128 divides K and N, tile
///          is 8, 16, 32, 64 or 128, output_scale is for fp8_e4m3 only, weights are interleaved or in
///          shards of 128 x 32 round the banks of DRAM, circular buffers fit.
[[nodiscard]] const Op& op();

/// Outputs of the op, computed in float by the rule above; rows without a token are 0.
struct Product {
    HostTensor output;  ///< fp8_e4m3, or float32
    HostTensor scale;   ///< empty without fp8_e4m3
};
[[nodiscard]] Product reference(const ReferenceContext& context);

}  // namespace tessera::ops::fp8_grouped_matmul
