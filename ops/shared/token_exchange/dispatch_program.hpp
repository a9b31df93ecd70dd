// SPDX-License-Identifier: Apache-2.0
// The programs of a dispatch: who sends, who counts and, in one phase, who puts rows together.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/shared/token_exchange/cores.hpp"
#include "ops/shared/token_exchange/operands.hpp"

namespace tessera::ops::token_exchange {

/// Extents of one call.
struct DispatchSizes {
    std::uint32_t tokens;
    std::uint32_t top_k;
    std::uint32_t experts;
    std::uint32_t ranks;
    std::uint32_t most_rows;
    bool is_batched;
    std::uint32_t ids_stride;
    std::uint32_t weights_stride;
    std::uint32_t weight_bytes;
    std::uint32_t row_bytes;
    std::uint32_t scales_bytes;
    std::uint32_t piece;
    std::uint32_t pair_rows;  ///< of one sender at a receiver, in one phase; else 0

    [[nodiscard]] std::uint32_t bins() const { return is_batched ? experts : ranks; }
    [[nodiscard]] std::uint32_t table_bytes() const {
        return tokens * (ids_stride + weights_stride);
    }
    [[nodiscard]] std::uint32_t scratch_stride() const { return padded(4 * top_k); }
    [[nodiscard]] ShapeArgs shape() const {
        return {.num_tokens = tokens,
                .top_k = top_k,
                .num_experts = experts,
                .num_ranks = ranks,
                .most_rows = most_rows,
                .is_batched = is_batched ? 1U : 0U,
                .ids_stride = ids_stride,
                .weights_stride = weights_stride,
                .pair_rows = pair_rows};
    }
};

[[nodiscard]] DispatchSizes dispatch_sizes(const OpContext& context, Form form);

struct DispatchBuffer {
    Cb cb;
    std::uint32_t page;
    std::uint32_t pages;
};
[[nodiscard]] std::vector<DispatchBuffer> dispatch_buffers(const DispatchSizes& sizes);

/// Returns the program of one device.
[[nodiscard]] Program dispatch_program(const OpContext& context, const Rank& rank,
                                       const DispatchSizes& sizes, Form form);

}  // namespace tessera::ops::token_exchange
