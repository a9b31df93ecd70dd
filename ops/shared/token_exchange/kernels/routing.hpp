// SPDX-License-Identifier: Apache-2.0
// The routing of one rank's tokens in L1, and where its rows go.
//
// Rows are counted by bin. With rows, a bin is the receiving rank, which gets a token once, however
// many of its experts the token selects. With batches, it is the expert, which gets a row for each
// slot.
#pragma once

#include <cstdint>

// Circular buffers, used as plain memory where nothing is said of a consumer.
inline constexpr uint32_t kCbTable = 0;     // ids, then weights, of one rank's tokens
inline constexpr uint32_t kCbBases = 1;     // rows that lower ranks send, by bin
inline constexpr uint32_t kCbCounts = 2;    // rows so far, by bin
inline constexpr uint32_t kCbScratch = 3;   // rows of metadata on their way to memory
inline constexpr uint32_t kCbRows = 4;      // pieces of rows, reader to writer
inline constexpr uint32_t kCbCommands = 5;  // where the next row goes, reader to writer
inline constexpr uint32_t kCbPairs = 6;     // rows by own bin and sending rank

inline constexpr uint32_t kEnd = 0xFFFFFFFF;  // in place of a command's number of targets

// The first compile-time arguments of all kernels.
struct Shape {
    uint32_t num_tokens;  // of each rank
    uint32_t top_k;
    uint32_t num_experts;
    uint32_t num_ranks;
    uint32_t most_rows;  // of a bin
    uint32_t is_batched;
    uint32_t ids_stride;  // bytes of a page, padding included
    uint32_t weights_stride;
    // Rows of a bin that one rank may fill, in a part of its own (one phase). 0: ranks' rows follow
    // each other, so that all have to know the counts first.
    uint32_t pair_rows;

    uint32_t experts_per_rank() const { return num_experts / num_ranks; }
    uint32_t num_bins() const { return is_batched ? num_experts : num_ranks; }
    uint32_t bins_per_rank() const { return is_batched ? experts_per_rank() : 1; }
    uint32_t table_bytes() const { return num_tokens * (ids_stride + weights_stride); }
    uint32_t rank_of(uint32_t expert) const { return expert / experts_per_rank(); }
    uint32_t bin_of(uint32_t expert) const { return is_batched ? expert : rank_of(expert); }
    // Page of a receiving rank's tensor of rows.
    uint32_t page_of(uint32_t bin, uint32_t place) const {
        return is_batched ? bin % experts_per_rank() * most_rows + place : place;
    }
};

#define SHAPE_FROM_COMPILE_ARGS                                                                    \
    Shape {                                                                                        \
        get_compile_time_arg_val(0), get_compile_time_arg_val(1), get_compile_time_arg_val(2),     \
            get_compile_time_arg_val(3), get_compile_time_arg_val(4), get_compile_time_arg_val(5), \
            get_compile_time_arg_val(6), get_compile_time_arg_val(7), get_compile_time_arg_val(8)  \
    }
inline constexpr uint32_t kShapeArgs = 9;

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
            const uint32_t bin = shape.bin_of(expert);
            bool is_first = true;
            for (uint32_t earlier = 0; !shape.is_batched && earlier < slot; ++earlier) {
                const int32_t other = id(token, earlier);
                is_first = is_first && (other < 0 || shape.bin_of(other) != bin);
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
