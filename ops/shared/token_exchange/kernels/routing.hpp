// SPDX-License-Identifier: Apache-2.0
// The routing of one rank's tokens in L1, and where its rows go.
//
// Rows are counted by bin. With rows, a bin is the receiving rank, which gets a token once, however
// many of its experts the token selects. With batches, it is the expert, which gets a row for each
// slot.
#pragma once

#include <cstdint>

#include "args.hpp"

using tessera::ops::index_of;
using ExchangeCb = tessera::ops::token_exchange::Cb;

inline constexpr uint32_t kCbTable = index_of(ExchangeCb::Table);
inline constexpr uint32_t kCbBases = index_of(ExchangeCb::Bases);
inline constexpr uint32_t kCbCounts = index_of(ExchangeCb::Counts);
inline constexpr uint32_t kCbScratch = index_of(ExchangeCb::Scratch);
inline constexpr uint32_t kCbRows = index_of(ExchangeCb::Rows);
inline constexpr uint32_t kCbCommands = index_of(ExchangeCb::Commands);
inline constexpr uint32_t kCbPairs = index_of(ExchangeCb::Pairs);

inline constexpr uint32_t kEnd = 0xFFFFFFFF;  // in place of a command's number of targets

using Shape = tessera::ops::token_exchange::ShapeArgs;

inline uint32_t experts_per_rank(const Shape& shape) {
    return shape.num_experts / shape.num_ranks;
}
inline uint32_t num_bins(const Shape& shape) {
    return shape.is_batched ? shape.num_experts : shape.num_ranks;
}
inline uint32_t bins_per_rank(const Shape& shape) {
    return shape.is_batched ? experts_per_rank(shape) : 1;
}
inline uint32_t table_bytes(const Shape& shape) {
    return shape.num_tokens * (shape.ids_stride + shape.weights_stride);
}
inline uint32_t rank_of(const Shape& shape, uint32_t expert) {
    return expert / experts_per_rank(shape);
}
inline uint32_t bin_of(const Shape& shape, uint32_t expert) {
    return shape.is_batched ? expert : rank_of(shape, expert);
}
// Page of a receiving rank's tensor of rows.
inline uint32_t page_of(const Shape& shape, uint32_t bin, uint32_t place) {
    return shape.is_batched ? bin % experts_per_rank(shape) * shape.most_rows + place : place;
}

// A rank's ids, one row of `ids_stride` bytes a token, at an L1 address.
struct Routing {
    const Shape& shape;
    uint32_t address;

    int32_t id(uint32_t token, uint32_t slot) const {
        return reinterpret_cast<volatile tt_l1_ptr int32_t*>(address +
                                                             token * shape.ids_stride)[slot];
    }
    // Calls act(slot, expert, bin, is_first) for each slot with an expert. Not the first: an
    // earlier slot of the token has the same bin, and the row goes there only once.
    template <typename Act>
    void for_each_slot(uint32_t token, Act act) const {
        for (uint32_t slot = 0; slot < shape.top_k; ++slot) {
            const int32_t expert = id(token, slot);
            if (expert < 0) {
                continue;
            }
            const uint32_t bin = bin_of(shape, expert);
            bool is_first = true;
            for (uint32_t earlier = 0; !shape.is_batched && earlier < slot; ++earlier) {
                const int32_t other = id(token, earlier);
                is_first = is_first && (other < 0 || bin_of(shape, other) != bin);
            }
            act(slot, static_cast<uint32_t>(expert), bin, is_first);
        }
    }
};

inline volatile tt_l1_ptr uint32_t* words_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}
inline volatile tt_l1_ptr uint32_t* semaphore_at(uint32_t id) {
    return words_at(get_semaphore(id));
}

// Tells the writer where the next row goes; kEnd in place of `targets`: there is none.
inline void push_command(uint32_t targets, uint32_t peer, uint32_t page) {
    cb_reserve_back(kCbCommands, 1);
    auto* words = words_at(get_write_ptr(kCbCommands));
    words[0] = targets;
    words[1] = peer;
    words[2] = page;
    cb_push_back(kCbCommands, 1);
}

// Reads the ids and weights of this rank's tokens to `address`.
template <typename Ids, typename Weights>
void read_table(const Shape& shape, const Ids& ids, const Weights& weights, uint32_t address) {
    for (uint32_t token = 0; token < shape.num_tokens; ++token) {
        noc_async_read(ids.get_noc_addr(token), address + token * shape.ids_stride,
                       shape.top_k * sizeof(int32_t));
    }
    const uint32_t weights_at = address + shape.num_tokens * shape.ids_stride;
    for (uint32_t token = 0; token < shape.num_tokens; ++token) {
        noc_async_read_page(token, weights, weights_at + token * shape.weights_stride);
    }
    noc_async_read_barrier();
}
