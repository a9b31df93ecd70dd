// SPDX-License-Identifier: Apache-2.0
// The list of moe_align_block_size for activations that are already grouped by expert.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::batched_moe_align_block_size {

struct BatchedAlignSpec {
    std::uint32_t max_tokens_per_batch = 16;  ///< row capacity of each expert
    std::uint32_t block_size = 16;            ///< rows of a block
};

inline constexpr std::array<std::string_view, 1> kSchedules{"single_core"};
inline constexpr std::array kInputs{
    Operand{"expert_num_tokens", "any", "int32 | uint32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"sorted_token_ids", "(P)", "int32", "ROW_MAJOR"},
    Operand{"expert_ids", "(B)", "int32", "ROW_MAJOR"},
    Operand{"num_tokens_post_padded", "(1)", "int32", "ROW_MAJOR"},
};

/// Positions of outputs by their names: "expert_ids"_out.
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "batched_moe_align_block_size",
    .summary = "rows of each expert's batch, padded to whole blocks",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
/// Shapes   expert_num_tokens (E), or (E,1).
///
/// Row j of expert e is entry e·max_tokens_per_batch + j. Entries without a row are
/// E·max_tokens_per_batch; blocks after the last one have expert −1. P is E times
/// max_tokens_per_batch rounded up to whole blocks. One core writes the list from the counts.
/// Source   vLLM, csrc/moe/moe_align_sum_kernels.cu, batched_moe_align_block_size.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::batched_moe_align_block_size
