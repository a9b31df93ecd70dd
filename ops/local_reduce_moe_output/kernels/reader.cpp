// SPDX-License-Identifier: Apache-2.0
// Lists the contributions to each token of this core, then pushes the number for each token. The
// expert's values with the weight follow, chunk by chunk of the row, local experts ascending.
#include "../../shared/kernels/push_word.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::local_reduce_moe_output;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbWeights = index_of(Cb::Weights);
constexpr uint32_t kCbContributions = index_of(Cb::Contributions);
constexpr uint32_t kCbCounts = index_of(Cb::Counts);
constexpr uint32_t kCbMap = index_of(Cb::Map);
constexpr uint32_t kCbMapWeights = index_of(Cb::MapWeights);
constexpr uint32_t kCbLists = index_of(Cb::Lists);
constexpr uint32_t kCbLengths = index_of(Cb::Lengths);

struct Contribution {
    uint32_t row;  // row of the (E/D·T,H) expert outputs
    uint32_t weight;
};

// The contributions to a batch of tokens, in L1: `num_experts` places a token.
struct Lists {
    uint32_t first_token;
    uint32_t num_batch_tokens;
    uint32_t num_experts;
    uint32_t num_tokens;
    tt_l1_ptr uint32_t* lengths;
    tt_l1_ptr Contribution* places;

    void clear() const {
        for (uint32_t slot = 0; slot < num_batch_tokens; ++slot) {
            lengths[slot] = 0;
        }
    }
    tt_l1_ptr Contribution* of(uint32_t slot) const { return places + slot * num_experts; }

    // Appends unless the token is of another batch, or this expert has listed it before.
    void add(uint32_t token, uint32_t expert, uint32_t position, uint32_t weight) const {
        const uint32_t slot = token - first_token;
        // Unsigned: a token before the batch becomes a large slot, so one comparison covers both
        // sides.
        if (slot >= num_batch_tokens) {
            return;
        }
        const uint32_t length = lengths[slot];
        tt_l1_ptr Contribution* list = of(slot);
        // Rows ascend with the expert, so the last entry alone tells whether this expert is in the
        // list.
        if (length != 0 && list[length - 1].row >= expert * num_tokens) {
            return;
        }
        list[length] = {expert * num_tokens + position, weight};
        lengths[slot] = length + 1;
    }
};

// The routing tables of one device.
struct RoutingTables {
    PageAccessor map;
    PageAccessor weights;
    uint32_t count_stride;

    uint32_t count(uint32_t expert) const {
        const uint32_t l1_addr = get_write_ptr(kCbCounts) + expert * count_stride;
        return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
    }

    void list_expert(uint32_t expert, const Lists& lists) const {
        const uint32_t map_l1 = get_write_ptr(kCbMap);
        const uint32_t weights_l1 = get_write_ptr(kCbMapWeights);
        const uint32_t num_entries = count(expert);
        // Only entries below the count are read: those after are stale and may look valid.
        for (uint32_t entry = 0; entry < num_entries; entry += kMapEntries) {
            const uint32_t left = num_entries - entry;
            const uint32_t length = left < kMapEntries ? left : kMapEntries;
            noc_async_read(map.get_noc_addr(expert, entry * sizeof(uint32_t)), map_l1,
                           length * sizeof(uint32_t));
            // Map and weights of the same entries share one barrier.
            noc_async_read(weights.get_noc_addr(expert, entry * sizeof(uint16_t)), weights_l1,
                           length * sizeof(uint16_t));
            noc_async_read_barrier();
            const auto* tokens = reinterpret_cast<tt_l1_ptr uint32_t*>(map_l1);
            const auto* token_weights = reinterpret_cast<tt_l1_ptr uint16_t*>(weights_l1);
            for (uint32_t i = 0; i < length; ++i) {
                lists.add(tokens[i], expert, entry + i, token_weights[i]);
            }
        }
    }
};

void read_counts(const PageAccessor& counts, uint32_t num_experts, uint32_t count_stride) {
    const uint32_t counts_l1 = get_write_ptr(kCbCounts);
    for (uint32_t expert = 0; expert < num_experts; ++expert) {
        // Each count is a page, and pages are read to aligned addresses, so counts are not
        // contiguous in L1.
        noc_async_read(counts.get_noc_addr(expert), counts_l1 + expert * count_stride,
                       sizeof(uint32_t));
    }
    noc_async_read_barrier();
}

// Hands over the contributions to one token after the other.
struct TokenStream {
    PageAccessor rows;
    uint32_t row_bytes;
    uint32_t chunk_tiles;

    void push_chunk(const Contribution& contribution, uint32_t offset, uint32_t bytes) const {
        cb_reserve_back(kCbRows, chunk_tiles);
        noc_async_read(rows.get_noc_addr(contribution.row, offset), get_write_ptr(kCbRows), bytes);
        // The weight is handed over while the row is on its way.
        push_word(kCbWeights, contribution.weight);
        noc_async_read_barrier();
        cb_push_back(kCbRows, chunk_tiles);
    }
    void push_token(const tt_l1_ptr Contribution* list, uint32_t length) const {
        const uint32_t chunk_bytes = chunk_tiles * kTileBytes;
        // The number is pushed first, because compute needs it before it waits for the first row.
        push_word(kCbContributions, length);
        // Chunks are the outer loop: DST holds the sums of one chunk, over all contributions.
        for (uint32_t offset = 0; offset < row_bytes; offset += chunk_bytes) {
            const uint32_t left = row_bytes - offset;
            for (uint32_t i = 0; i < length; ++i) {
                push_chunk(list[i], offset, left < chunk_bytes ? left : chunk_bytes);
            }
        }
    }
};

}  // namespace

void kernel_main() {
    const auto at = ReaderTensors::Addresses::read();
    const auto range = TokenRange::read(ReaderTensors::Addresses::kCount);
    const auto args = ReaderArgs::read();
    const RoutingTables tables{TensorAccessor(ReaderTensors::map(), at.map),
                               TensorAccessor(ReaderTensors::weights(), at.weights),
                               args.count_stride};
    const TokenStream stream{TensorAccessor(ReaderTensors::rows(), at.rows), args.row_bytes,
                             args.chunk_tiles};

    read_counts(TensorAccessor(ReaderTensors::counts(), at.counts), args.num_experts,
                args.count_stride);
    const uint32_t end_token = range.first_token + range.num_tokens;
    for (uint32_t first = range.first_token; first < end_token; first += args.batch) {
        const uint32_t left = end_token - first;
        const Lists lists{
            .first_token = first,
            .num_batch_tokens = left < args.batch ? left : args.batch,
            .num_experts = args.num_experts,
            .num_tokens = args.num_tokens,
            .lengths = reinterpret_cast<tt_l1_ptr uint32_t*>(get_write_ptr(kCbLengths)),
            .places = reinterpret_cast<tt_l1_ptr Contribution*>(get_write_ptr(kCbLists))};
        lists.clear();
        // Experts in ascending order: the sum's order is that of the local experts, and add()
        // relies on it.
        for (uint32_t expert = 0; expert < args.num_experts; ++expert) {
            tables.list_expert(expert, lists);
        }
        for (uint32_t slot = 0; slot < lists.num_batch_tokens; ++slot) {
            stream.push_token(lists.of(slot), lists.lengths[slot]);
        }
    }
}
