// SPDX-License-Identifier: Apache-2.0
// Sorts a router's choices by expert and pads those of each expert to whole blocks, so that every
// block of a grouped product has one expert.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::moe_align_block_size {

struct AlignSpec {
    std::uint32_t block_size = 16;  ///< rows of a block
    std::uint32_t num_experts = 8;  ///< over all devices
    /// Whether choices of other devices' experts are skipped; else their blocks have expert −1.
    bool ignore_invalid_experts = false;
    /// Whether the list's extent is rounded up to whole blocks.
    bool pad_sorted_ids = false;
};

inline constexpr std::array<std::string_view, 1> kSchedules{"single_core"};
inline constexpr std::array kInputs{
    Operand{"topk_ids", "(T, K)", "int32 | uint32", "ROW_MAJOR"},
    Operand{.name = "expert_map",
            .shape = "(E)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
    Operand{.name = "num_tokens",
            .shape = "(1, 1)",
            .format = "uint32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"sorted_token_ids", "(P)", "int32", "ROW_MAJOR"},
    Operand{"expert_ids", "(B)", "int32", "ROW_MAJOR"},
    Operand{"num_tokens_post_padded", "(1)", "int32", "ROW_MAJOR"},
    Operand{"rows", "(T, K)", "int32", "ROW_MAJOR"},
};

/// Positions of operands by their names: "topk_ids"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "moe_align_block_size",
    .summary =
        "sorts choices of a router by expert and pads each expert to whole blocks; ids from "
        "num_experts select no expert",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
///   sorted_token_ids        flattened indices t·K + k by expert, ascending inside one; T·K in
///                           padding of a block, and after the last block
///   expert_ids              of each block: the expert, or its entry in expert_map; −1 after
///                           the last block
///   num_tokens_post_padded  entries of all blocks
///   rows                    for each choice, its index in sorted_token_ids; −1 if it has none or
///                           its expert belongs to another device
///
/// Ids outside of 0 to num_experts − 1 are skipped. With num_tokens, so are all ids of tokens from
/// there on: rows that a dispatch has not filled. P is T·K + num_experts·(block_size − 1), or
/// T·K·block_size if that is smaller (fewer choices than experts), and B is ⌈P/block_size⌉.
///
/// One core counts the choices of each expert, plans the blocks and places the choices. It makes
/// two passes over topk_ids, so the order inside an expert is that of the tokens. The list stays in
/// L1 until it is complete.
/// Source   vLLM, moe_align_block_size.py and csrc/moe/moe_align_sum_kernels.cu.
[[nodiscard]] const Op& op();

/// Extents of sorted_token_ids and expert_ids.
struct AlignedExtents {
    std::uint32_t entries = 0;
    std::uint32_t blocks = 0;
};
[[nodiscard]] AlignedExtents extents_of(std::uint64_t num_choices, const AlignSpec& spec);

}  // namespace tessera::ops::moe_align_block_size
