// SPDX-License-Identifier: Apache-2.0
// Lists the contributions to each token of this core and brings them in tile by tile. The list is
// by slot or, if ranks have summed theirs, by rank.
#include "piece_reader.hpp"
#include "routing.hpp"
#include "sum.hpp"

namespace {

using namespace tessera::ops::token_exchange;

struct Tables {
    PageAccessor slots;
    PageAccessor ids;      // if rows are not batched
    PageAccessor weights;  // if there are any
};

// A token's row of each table, in L1.
struct TokenRows {
    uint32_t slots;
    uint32_t ids;
    uint32_t weights;
};

// Pages of contributions of one token, and their weights' bits as float32.
struct Terms {
    // 64 slots are the most that a token may have (dispatch checks it).
    uint32_t count = 0;
    uint32_t pages[64];
    uint32_t weights[64];

    void add(uint32_t page, uint32_t weight) {
        pages[count] = page;
        weights[count] = weight;
        ++count;
    }
};

// A tile of a contribution, as the start of a row.
struct ContributionAt {
    const PageAccessor& rows;
    uint32_t begin;

    uint64_t get_noc_addr(uint32_t page, uint32_t offset) const {
        return rows.get_noc_addr(page, begin + offset);
    }
};

uint32_t weight_of(const TokenRows& rows, uint32_t slot, uint32_t weight_bytes) {
    if (weight_bytes == 4) {
        return words_at(rows.weights)[slot];
    }
    // The upper half of a float32 is the bfloat16.
    if (weight_bytes == 2) {
        return uint32_t{reinterpret_cast<volatile tt_l1_ptr uint16_t*>(rows.weights)[slot]} << 16;
    }
    return 0;
}

Terms terms_of(const Shape& shape, const TokenRows& rows, uint32_t token, uint32_t weight_bytes) {
    constexpr uint32_t kNowhere = 0xFFFFFFFF;
    Terms terms;
    // By slot: each expert's row came back by itself.
    for (uint32_t slot = 0; shape.is_batched && slot < shape.top_k; ++slot) {
        if (words_at(rows.slots)[slot] != kNowhere) {
            terms.add(token * shape.top_k + slot, weight_of(rows, slot, weight_bytes));
        }
    }
    // By rank: a rank has summed its experts' rows, so that it contributes once.
    for (uint32_t rank = 0; !shape.is_batched && rank < shape.num_ranks; ++rank) {
        bool is_term = false;
        for (uint32_t slot = 0; slot < shape.top_k; ++slot) {
            is_term = is_term || (words_at(rows.slots)[slot] != kNowhere &&
                                  rank_of(shape, words_at(rows.ids)[slot]) == rank);
        }
        if (is_term) {
            terms.add(token * shape.num_ranks + rank, 0);
        }
    }
    return terms;
}

void push_terms(const Terms& terms) {
    cb_reserve_back(kCbTerms, 1);
    auto* words = words_at(get_write_ptr(kCbTerms));
    words[0] = terms.count;
    for (uint32_t i = 0; i < terms.count; ++i) {
        words[1 + i] = terms.weights[i];
    }
    cb_push_back(kCbTerms, 1);
}

// Reads the token's row of each table that the sum needs.
void read_rows(const Shape& shape, const Tables& tables, const TokenRows& rows, uint32_t token,
               uint32_t weight_bytes) {
    noc_async_read(tables.slots.get_noc_addr(token), rows.slots, shape.top_k * sizeof(int32_t));
    if (!shape.is_batched) {
        noc_async_read(tables.ids.get_noc_addr(token), rows.ids, shape.top_k * sizeof(int32_t));
    }
    if (weight_bytes != 0) {
        noc_async_read(tables.weights.get_noc_addr(token), rows.weights,
                       shape.top_k * weight_bytes);
    }
    // One barrier for up to three short rows.
    noc_async_read_barrier();
}

}  // namespace

void kernel_main() {
    const auto shape = Shape::read();
    const uint32_t weight_bytes = SumReaderArgs::read().weight_bytes;
    const uint32_t row_bytes = RowArgs::read().row_bytes;
    using Tensors = SumReaderTensors;
    const auto contributions =
        TensorAccessor(Tensors::contributions(), Tensors::contributions_address());
    const Tables tables{TensorAccessor(Tensors::slots(), Tensors::slots_address()),
                        TensorAccessor(Tensors::ids(), Tensors::ids_address()),
                        TensorAccessor(Tensors::weights(), Tensors::weights_address())};
    const auto range = TokenRange::read(Tensors::Addresses::kCount);
    constexpr uint32_t kGo = Tensors::Addresses::kCount + TokenRange::kCount;
    auto* go = semaphore_at(GoArgs::read(kGo).go_semaphore);

    const uint32_t l1 = get_write_ptr(kCbTables);
    const TokenRows rows{l1, l1 + shape.ids_stride, l1 + 2 * shape.ids_stride};
    PieceReader tiles(kCbContributions);
    // All contributions are in memory when the control core says so.
    noc_semaphore_wait(go, 1);
    for (uint32_t token = range.first_token; token < range.first_token + range.num_tokens;
         ++token) {
        read_rows(shape, tables, rows, token, weight_bytes);
        const Terms terms = terms_of(shape, rows, token, weight_bytes);
        push_terms(terms);
        // Tile by tile over all contributions: DST holds one tile's sum.
        for (uint32_t offset = 0; offset < row_bytes; offset += kSumTileBytes) {
            const uint32_t left = row_bytes - offset;
            const uint32_t bytes = left < kSumTileBytes ? left : kSumTileBytes;
            for (uint32_t i = 0; i < terms.count; ++i) {
                tiles.read({bytes, bytes}, ContributionAt{contributions, offset}, terms.pages[i]);
            }
        }
        tiles.push();
    }
}
