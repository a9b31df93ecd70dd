// SPDX-License-Identifier: Apache-2.0
// Cycles of dispatch and combine by closed formulas, to choose a dispatch before anything runs.
#pragma once

#include <cstdint>

namespace tessera::ops::fused_moe {

/// Sizes of a layer that the time of a dispatch follows from. 0: unknown.
struct DispatchSizes {
    std::uint32_t ranks = 1;
    std::uint32_t tokens = 0;  ///< of all devices together
    std::uint32_t hidden = 0;
    std::uint32_t experts = 0;
    std::uint32_t top_k = 0;
    std::uint32_t intermediate = 0;

    [[nodiscard]] std::uint32_t tokens_each() const { return (tokens + ranks - 1) / ranks; }
};

/// Estimated cycles of dispatch and combine with each of two ways, and what the experts take
/// longer with the second.
struct DispatchEstimate {
    double all_gather = 0;        ///< all_gather_reduce_scatter
    double all_to_all = 0;        ///< all_to_all_contiguous
    double permuted_experts = 0;  ///< extra time of grouped_permuted over grouped

    [[nodiscard]] bool prefers_all_to_all() const {
        return all_to_all + permuted_experts < all_gather;
    }
};

/// Returns the estimate for tokens that choose their experts evenly, in bfloat16, on a Wormhole.
[[nodiscard]] DispatchEstimate estimate_dispatch(const DispatchSizes& sizes);

}  // namespace tessera::ops::fused_moe
