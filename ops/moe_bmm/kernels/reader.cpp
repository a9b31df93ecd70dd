// SPDX-License-Identifier: Apache-2.0
// Finds this core's blocks of output tiles among the routed tokens and announces each to compute
// and writer. It feeds compute the operands, K tiles in blocks.
#include "operands.hpp"

namespace {

using namespace tessera::ops::moe_bmm;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t kShareArgs = ReaderTensors::Addresses::kCount;
constexpr uint32_t kInnerArgs = kShareArgs + CoreOfGrid::kCount;
static_assert(CoreOfGrid::kCount == HostBlocks::kCount, "a share has one length in both forms");

// Walks the blocks of all experts in ascending order.
struct BlockWalk {
    const Shapes& shapes;
    const TokenCounts& counts;
    uint32_t expert = 0;
    uint32_t blocks_before = 0;  // of all experts before this one

    uint32_t num_tokens() const { return counts.of(expert); }
    uint32_t blocks_across() const { return div_up(shapes.column_tiles, shapes.block_width); }
    uint32_t num_blocks() const {
        return div_up(div_up(num_tokens(), tile_height), shapes.block_height) * blocks_across();
    }

    Block find(uint32_t index) {
        // Indices of a core ascend, so that experts are never walked twice.
        for (uint32_t n = num_blocks(); index - blocks_before >= n; n = num_blocks()) {
            blocks_before += n;
            ++expert;
        }
        const uint32_t row = (index - blocks_before) / blocks_across() * shapes.block_height;
        const uint32_t column = (index - blocks_before) % blocks_across() * shapes.block_width;
        // The last block of rows of an expert, and of columns, may be smaller.
        return {expert,
                expert * shapes.token_tiles + row,
                column,
                smaller(shapes.block_height, div_up(num_tokens(), tile_height) - row),
                smaller(shapes.block_width, shapes.column_tiles - column),
                num_tokens() - row * tile_height};
    }
};

// Pushes have the pages of whole blocks, also where fewer tiles are left: a circular buffer wraps
// only where a push ends exactly at its limit.
template <class Accessor0, class Accessor1>
void feed(const Accessor0& in0, const Accessor1& in1, const Shapes& shapes, const Block& block,
          const InnerRange& inner) {
    const uint32_t in0_pages = shapes.block_height * shapes.k_block;
    const uint32_t in1_pages = shapes.k_block * shapes.block_width;
    for (uint32_t first_k = inner.first_k; first_k < inner.end_k; first_k += shapes.k_block) {
        const uint32_t num_k = smaller(shapes.k_block, inner.end_k - first_k);
        cb_reserve_back(cb_in0, in0_pages);
        // Both operands share a barrier, so that their reads overlap.
        read_in0(in0, shapes, block, first_k, num_k);
        cb_reserve_back(cb_in1, in1_pages);
        read_in1(in1, shapes, block, first_k, num_k);
        noc_async_read_barrier();
        cb_push_back(cb_in0, in0_pages);
        cb_push_back(cb_in1, in1_pages);
    }
}

}  // namespace

void kernel_main() {
    const auto at = ReaderTensors::Addresses::read();
    const auto tiles = TileArgs::read();
    const uint32_t stride = CountArgs::read().counts_stride;
    const auto split = static_cast<Split>(SplitArgs::read().split);
    const Shapes shapes = read_shapes(tiles);
    const auto in0 = TensorAccessor(ReaderTensors::input(), at.input, shapes.tile_size);
    const auto in1 = TensorAccessor(ReaderTensors::weights(), at.weights, shapes.tile_size);
    const TokenCounts counts =
        read_counts(TensorAccessor(ReaderTensors::counts(), at.counts, sizeof(uint32_t)),
                    Cb::ReaderCounts, stride, tiles.num_experts);
    // The host's share, or one from the counts in device memory.
    const auto told = HostBlocks::read(kShareArgs);
    Share share{told.first, told.stride, told.count};
    if (split != Split::ByHost) {
        const BlockShape block{shapes.column_tiles, shapes.block_height, shapes.block_width};
        share = share_of_blocks(CoreOfGrid::read(kShareArgs), count_blocks(counts, block));
        announce(Cb::ComputeBlocks, share.count, 0, 0, 0);
    }
    const auto inner = InnerRange::read(kInnerArgs);

    BlockWalk walk{shapes, counts};
    for (uint32_t i = 0; i < share.count; ++i) {
        const Block block = walk.find(share.first + i * share.stride);
        // Announced before the reads: the writer and compute need only numbers.
        announce(Cb::ComputeBlocks, block.rows, block.columns, 0, 0);
        announce(Cb::WriterBlocks, block.row * shapes.column_tiles + block.column, block.rows,
                 block.columns, block.num_tokens);
        feed(in0, in1, shapes, block, inner);
    }
}
