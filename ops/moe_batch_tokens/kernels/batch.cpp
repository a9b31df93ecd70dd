// SPDX-License-Identifier: Apache-2.0
// Appends each choice of a local expert to that expert's batch, tokens ascending.
#include "../../shared/expert_rows/kernels/table_words.hpp"

namespace {

constexpr uint32_t cb_ids = 0;
constexpr uint32_t cb_map = 1;
constexpr uint32_t cb_counts = 2;
constexpr uint32_t cb_tokens = 3;
constexpr uint32_t cb_rows = 4;
constexpr uint32_t cb_paged_counts = 5;
constexpr uint32_t kPagedStride = 16;  // alignment of writes

struct Batches {
    tt_l1_ptr uint32_t* counts;
    tt_l1_ptr uint32_t* tokens;
    uint32_t stride;  // words of an expert's row of tokens
    uint32_t capacity;

    // The row that the token takes, or kNobody.
    uint32_t append(uint32_t expert, uint32_t token) const {
        if (expert == kNobody || counts[expert] == capacity) {
            return kNobody;
        }
        const uint32_t place = counts[expert]++;
        tokens[expert * stride + place] = token;
        return expert * capacity + place;
    }
};

}  // namespace

void kernel_main() {
    const uint32_t num_tokens = get_compile_time_arg_val(0);
    const uint32_t top_k = get_compile_time_arg_val(1);
    const uint32_t ids_page = get_compile_time_arg_val(2);
    const uint32_t num_experts = get_compile_time_arg_val(3);
    const uint32_t num_local = get_compile_time_arg_val(4);
    const uint32_t capacity = get_compile_time_arg_val(5);
    const uint32_t batch_stride = get_compile_time_arg_val(6);
    const uint32_t tokens_at_once = get_compile_time_arg_val(7);
    constexpr auto ids_args = TensorAccessorArgs<8>();
    constexpr auto map_args = TensorAccessorArgs<ids_args.next_compile_time_args_offset()>();
    constexpr auto counts_args = TensorAccessorArgs<map_args.next_compile_time_args_offset()>();
    constexpr auto tokens_args = TensorAccessorArgs<counts_args.next_compile_time_args_offset()>();
    constexpr auto rows_args = TensorAccessorArgs<tokens_args.next_compile_time_args_offset()>();
    constexpr auto paged_args = TensorAccessorArgs<rows_args.next_compile_time_args_offset()>();
    const auto paged_out = TensorAccessor(paged_args, get_arg_val<uint32_t>(5));
    const auto ids = TensorAccessor(ids_args, get_arg_val<uint32_t>(0));
    const auto map_in = TensorAccessor(map_args, get_arg_val<uint32_t>(1));
    const auto counts_out = TensorAccessor(counts_args, get_arg_val<uint32_t>(2));
    const auto tokens_out = TensorAccessor(tokens_args, get_arg_val<uint32_t>(3));
    const auto rows_out = TensorAccessor(rows_args, get_arg_val<uint32_t>(4));

    const uint32_t ids_l1 = get_write_ptr(cb_ids);
    const uint32_t rows_l1 = get_write_ptr(cb_rows);
    const tt_l1_ptr uint32_t* map = words_at(get_write_ptr(cb_map));
    const Batches batches{words_at(get_write_ptr(cb_counts)), words_at(get_write_ptr(cb_tokens)),
                          batch_stride / 4, capacity};
    read_pages(map_in, 0, 1, get_write_ptr(cb_map), 0, num_experts * 4);
    fill_words(batches.counts, num_local, 0);
    fill_words(batches.tokens, num_local * batches.stride, kNobody);

    for (uint32_t first = 0; first < num_tokens; first += tokens_at_once) {
        const uint32_t left = num_tokens - first;
        const uint32_t count = left < tokens_at_once ? left : tokens_at_once;
        read_pages(ids, first, count, ids_l1, ids_page, top_k * 4);
        for (uint32_t token = 0; token < count; ++token) {
            for (uint32_t k = 0; k < top_k; ++k) {
                const uint32_t entry = token * ids_page / 4 + k;
                const uint32_t id = words_at(ids_l1)[entry];
                words_at(rows_l1)[entry] =
                    batches.append(id < num_experts ? map[id] : kNobody, first + token);
            }
        }
        write_pages(rows_out, first, count, rows_l1, ids_page, top_k * 4);
    }
    write_pages(tokens_out, 0, num_local, get_write_ptr(cb_tokens), batch_stride, capacity * 4);
    write_pages(counts_out, 0, 1, get_write_ptr(cb_counts), 0, num_local * 4);
    for (uint32_t expert = 0; expert < num_local; ++expert) {
        words_at(get_write_ptr(cb_paged_counts))[expert * kPagedStride / 4] =
            batches.counts[expert];
    }
    write_pages(paged_out, 0, num_local, get_write_ptr(cb_paged_counts), kPagedStride, 4);
}
