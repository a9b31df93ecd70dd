// SPDX-License-Identifier: Apache-2.0
// The strips of 32 rows that the live CTAs have, and a core's share of them.
#pragma once

#include "../../fp8_grouped_matmul/kernels/strips.hpp"
#include "../../fp8_grouped_matmul/kernels/units.hpp"
#include "args.hpp"

namespace tessera::ops::fp8_swiglu {

using strips::kTileRows;
using strips::Piece;

// The table of CTAs in L1. Units are pairs of strip and block of columns, strip by strip.
struct CtaStrips {
    const StripArgs& args;
    uint32_t limit_l1;
    uint32_t live;

    uint32_t num_units() const {
        return (live + args.strip_ctas - 1) / args.strip_ctas * args.cta_strips * args.n_blocks;
    }
    // Calls `visit` for the rows of each CTA of a strip that hold tokens.
    template <class Visit>
    void for_each_piece(uint32_t strip, const Visit& visit) const {
        const uint32_t first = strip / args.cta_strips * args.strip_ctas;
        const uint32_t skipped = strip % args.cta_strips * kTileRows;
        for (uint32_t i = 0; i < args.strip_ctas && first + i < live; ++i) {
            const uint32_t row = (first + i) * args.cta_tokens + skipped;
            const uint32_t end = units::word(limit_l1, first + i);
            if (end > row) {
                visit(Piece{i * args.cta_tokens, row, smaller(end - row, kTileRows)});
            }
        }
    }
};

// Reads the table of CTAs. Their number is read to the table's address before it.
inline CtaStrips read_strips(const StripArgs& args, const PageAccessor& num_ctas,
                             const PageAccessor& limit, uint32_t l1_addr) {
    const uint32_t live = units::read_table(num_ctas, l1_addr, sizeof(uint32_t));
    units::read_table(limit, l1_addr, args.limit_bytes);
    return {args, l1_addr, live};
}

}  // namespace tessera::ops::fp8_swiglu
