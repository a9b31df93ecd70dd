// SPDX-License-Identifier: Apache-2.0
// Appends each choice of a local expert to that expert's batch, tokens ascending.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_batch_tokens;

constexpr uint32_t cb_ids = index_of(Cb::Ids);
constexpr uint32_t cb_map = index_of(Cb::Map);
constexpr uint32_t cb_counts = index_of(Cb::Counts);
constexpr uint32_t cb_tokens = index_of(Cb::Tokens);
constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_paged_counts = index_of(Cb::PagedCounts);

struct Batches {
    tt_l1_ptr uint32_t* counts;
    tt_l1_ptr uint32_t* tokens;
    uint32_t stride;  // words of an expert's row of tokens
    uint32_t capacity;

    // The row that the token takes, or kNobody.
    uint32_t append(uint32_t expert, uint32_t token) const {
        // The second condition drops choices beyond the room; the choice's entry of `rows` says so.
        if (expert == kNobody || counts[expert] == capacity) {
            return kNobody;
        }
        const uint32_t place = counts[expert]++;
        tokens[expert * stride + place] = token;
        return expert * capacity + place;
    }
};

// Appends each choice to the batch of its expert, and stores the row of each choice.
template <class Ids, class Rows>
void append_choices(const Ids& ids, const Rows& rows_out, const BatchArgs& args,
                    const Batches& batches, const tt_l1_ptr uint32_t* map) {
    const uint32_t ids_l1 = get_write_ptr(cb_ids);
    const uint32_t rows_l1 = get_write_ptr(cb_rows);
    for (uint32_t first = 0; first < args.num_tokens; first += args.tokens_at_once) {
        const uint32_t left = args.num_tokens - first;
        const uint32_t count = left < args.tokens_at_once ? left : args.tokens_at_once;
        read_pages(ids, first, count, ids_l1, args.ids_page, args.top_k * 4);
        for (uint32_t token = 0; token < count; ++token) {
            for (uint32_t k = 0; k < args.top_k; ++k) {
                const uint32_t entry = token * args.ids_page / 4 + k;
                const uint32_t id = words_at(ids_l1)[entry];
                words_at(rows_l1)[entry] =
                    batches.append(id < args.num_experts ? map[id] : kNobody, first + token);
            }
        }
        // The rows are written before the next part overwrites them; write_pages ends with its own
        // barrier.
        write_pages(rows_out, first, count, rows_l1, args.ids_page, args.top_k * 4);
    }
}

// Stores the counts a second time, each in a page of its own.
template <class PagedCounts>
void write_paged_counts(const PagedCounts& paged_out, const BatchArgs& args,
                        const tt_l1_ptr uint32_t* counts) {
    // Pages of one word are 16 bytes apart, the alignment of writes, so the counts are spaced out
    // first.
    for (uint32_t expert = 0; expert < args.num_local; ++expert) {
        words_at(get_write_ptr(cb_paged_counts))[expert * args.count_stride / 4] = counts[expert];
    }
    write_pages(paged_out, 0, args.num_local, get_write_ptr(cb_paged_counts), args.count_stride, 4);
}

}  // namespace

void kernel_main() {
    const auto args = BatchArgs::read();
    const auto paged_out =
        TensorAccessor(BatchTensors::paged_counts(), BatchTensors::paged_counts_address());
    const auto ids = TensorAccessor(BatchTensors::ids(), BatchTensors::ids_address());
    const auto map_in = TensorAccessor(BatchTensors::map(), BatchTensors::map_address());
    const auto counts_out = TensorAccessor(BatchTensors::counts(), BatchTensors::counts_address());
    const auto tokens_out = TensorAccessor(BatchTensors::tokens(), BatchTensors::tokens_address());
    const auto rows_out = TensorAccessor(BatchTensors::rows(), BatchTensors::rows_address());

    const tt_l1_ptr uint32_t* map = words_at(get_write_ptr(cb_map));
    const Batches batches{words_at(get_write_ptr(cb_counts)), words_at(get_write_ptr(cb_tokens)),
                          args.batch_stride / 4, args.capacity};
    // The map is read whole: each choice needs a random entry of it.
    read_pages(map_in, 0, 1, get_write_ptr(cb_map), 0, args.num_experts * 4);
    fill_words(batches.counts, args.num_local, 0);
    // Rows without a token must not look like token 0.
    fill_words(batches.tokens, args.num_local * batches.stride, kNobody);

    append_choices(ids, rows_out, args, batches, map);
    write_pages(tokens_out, 0, args.num_local, get_write_ptr(cb_tokens), args.batch_stride,
                args.capacity * 4);
    write_pages(counts_out, 0, 1, get_write_ptr(cb_counts), 0, args.num_local * 4);
    write_paged_counts(paged_out, args, batches.counts);
}
