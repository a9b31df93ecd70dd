// SPDX-License-Identifier: Apache-2.0
// Lists the rows of each expert's batch, from the counts.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::batched_moe_align_block_size;

constexpr uint32_t cb_counts = index_of(Cb::Counts);
constexpr uint32_t cb_sorted = index_of(Cb::Sorted);
constexpr uint32_t cb_blocks = index_of(Cb::Blocks);

// Entry without a row: one beyond the last row of the last batch.
uint32_t pad_of(const AlignArgs& args) {
    return args.num_experts * args.max_tokens;
}

// Lists the rows of each expert in whole blocks. Returns the number of blocks.
uint32_t list_rows(const AlignArgs& args, const tt_l1_ptr uint32_t* counts,
                   tt_l1_ptr uint32_t* sorted, tt_l1_ptr uint32_t* blocks) {
    const uint32_t block_size = args.block_size;
    uint32_t block = 0;
    for (uint32_t expert = 0; expert < args.num_experts; ++expert) {
        const uint32_t count = counts[expert];
        // Only the last block of an expert has pads; the bound on `count` skips experts without
        // rows.
        for (uint32_t first = 0; first < count; first += block_size) {
            for (uint32_t i = 0; i < block_size; ++i) {
                const bool is_row = first + i < count;
                sorted[block * block_size + i] =
                    is_row ? expert * args.max_tokens + first + i : pad_of(args);
            }
            blocks[block++] = expert;
        }
    }
    return block;
}

}  // namespace

void kernel_main() {
    const auto args = AlignArgs::read();
    const uint32_t block_size = args.block_size;
    const auto counts_in = TensorAccessor(AlignTensors::counts(), AlignTensors::counts_address());
    const auto sorted_out = TensorAccessor(AlignTensors::sorted(), AlignTensors::sorted_address());
    const auto blocks_out = TensorAccessor(AlignTensors::blocks(), AlignTensors::blocks_address());
    const auto total_out = TensorAccessor(AlignTensors::total(), AlignTensors::total_address());

    tt_l1_ptr uint32_t* counts = words_at(get_write_ptr(cb_counts));
    tt_l1_ptr uint32_t* sorted = words_at(get_write_ptr(cb_sorted));
    tt_l1_ptr uint32_t* blocks = words_at(get_write_ptr(cb_blocks));
    // Counts are one a page if another op keeps them so; then each needs a read of its own.
    read_counts(counts_in, args.num_experts, args.is_paged != 0, get_write_ptr(cb_counts));

    const uint32_t block = list_rows(args, counts, sorted, blocks);
    // The tables have room for full batches; the entries after the last block must not look like
    // rows.
    fill_words(sorted + block * block_size, args.entries - block * block_size, pad_of(args));
    fill_words(blocks + block, args.num_blocks - block, kNobody);

    noc_async_write(get_write_ptr(cb_sorted), sorted_out.get_noc_addr(0), args.entries * 4);
    noc_async_write(get_write_ptr(cb_blocks), blocks_out.get_noc_addr(0), args.num_blocks * 4);
    // The counts are done: their first word carries the total.
    counts[0] = block * block_size;
    noc_async_write(get_write_ptr(cb_counts), total_out.get_noc_addr(0), 4);
    noc_async_write_barrier();
}
