// SPDX-License-Identifier: Apache-2.0
// Sequences of a prefill in tiles of 32 tokens.
#pragma once

#include "../../shared/attention/kernels/blocks.hpp"
#include "../../shared/kernels/arithmetic.hpp"

using namespace attention;

namespace {

constexpr uint32_t kCbStarts =
    index_of(Cb::SequenceWords);  // starts of sequences, then their contexts

// 32 tokens of a sequence.
struct Tile {
    uint32_t first;      // token
    uint32_t count;      // number of tokens
    uint32_t position;   // position of the first token
    uint32_t first_key;  // row of position 0
    uint32_t sequence;

    uint32_t num_keys() const { return position + count; }
    uint32_t num_key_tiles() const { return div_up(num_keys(), kTileRows); }
};

// `words` to where the NoC may write next.
inline uint32_t aligned_bytes(uint32_t words) {
    return round_up(words, kTileRows) * sizeof(uint32_t);
}

inline uint32_t contexts_l1(uint32_t sequences) {
    return get_write_ptr(kCbStarts) + aligned_bytes(sequences);
}

// Tile `index` of all sequences', if there are so many.
template <class Shapes>
// Tile `index` of all sequences', if there are so many. Sequences are searched from the first one:
// there are few, and their starts are in L1.
bool find_tile(const Shapes& shapes, uint32_t index, Tile& found) {
    const auto* starts = reinterpret_cast<Words>(get_write_ptr(kCbStarts));
    for (uint32_t s = 0; s < shapes.sequences; ++s) {
        const uint32_t end = s + 1 < shapes.sequences ? starts[s + 1] : shapes.tokens;
        const uint32_t tiles = div_up(end - starts[s], kTileRows);
        if (index < tiles) {
            const bool has_contexts = shapes.has_contexts();
            const uint32_t first = starts[s] + index * kTileRows;
            found = {
                first, smaller(kTileRows, end - first),
                (has_contexts ? reinterpret_cast<Words>(contexts_l1(shapes.sequences))[s] : 0) +
                    index * kTileRows,
                has_contexts ? s * shapes.rows_each : starts[s], s};
            return true;
        }
        index -= tiles;
    }
    return false;
}

// Starts of sequences and, if they have some, contexts, to where find_tile looks for them.
template <class Starts, class Contexts, class Shapes>
void read_sequences(const Starts& starts, const Contexts& contexts, const Shapes& shapes) {
    noc_async_read(starts.get_noc_addr(0), get_write_ptr(kCbStarts),
                   shapes.sequences * sizeof(uint32_t));
    if (shapes.has_contexts()) {
        noc_async_read(contexts.get_noc_addr(0), contexts_l1(shapes.sequences),
                       shapes.sequences * sizeof(uint32_t));
    }
    noc_async_read_barrier();
}

}  // namespace
