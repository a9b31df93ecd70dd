// SPDX-License-Identifier: Apache-2.0
// Reads blocks of in1 from memory, multicasts each to the other cores of its column, and writes the
// core's output.
#include "../../shared/kernels/block_handshake.hpp"
#include "args.hpp"
#include "out_blocks.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::matmul;

constexpr uint32_t cb_in1 = index_of(Cb::In1);

struct Shape {
    uint32_t k_tiles;
    uint32_t n_tiles;
    uint32_t block_h;  // K tiles
    uint32_t block_w;
    uint32_t tile_size;
};

// Columns beyond the tensor keep the buffer's old contents: their results are not written.
template <class Accessor>
void read_block(const Accessor& in1, const Shape& shape, uint32_t first_tile,
                uint32_t num_columns) {
    const uint32_t l1_addr = get_write_ptr(cb_in1);
    for (uint32_t k = 0; k < shape.block_h; ++k) {
        for (uint32_t column = 0; column < num_columns; ++column) {
            noc_async_read_page(first_tile + k * shape.n_tiles + column, in1,
                                l1_addr + (k * shape.block_w + column) * shape.tile_size);
        }
    }
    // One barrier a block keeps all of its reads in flight together.
    noc_async_read_barrier();
}

uint32_t columns_in_tensor(uint32_t num_columns, uint32_t first_column, uint32_t block_w) {
    const uint32_t rest = num_columns > first_column ? num_columns - first_column : 0;
    return rest < block_w ? rest : block_w;
}

// Feeds the blocks of one pass over K, for output columns from `first_column` of the core's own on.
template <class Accessor>
void feed(const Accessor& in1, const Shape& shape, const BlockSender& sender, uint32_t first_tile,
          uint32_t num_columns) {
    const uint32_t block_tiles = shape.block_h * shape.block_w;
    // K blocks in the order in which compute adds them; in0's kernel runs the same loop on the
    // other RISC.
    for (uint32_t k = 0; k < shape.k_tiles; k += shape.block_h) {
        cb_reserve_back(cb_in1, block_tiles);
        read_block(in1, shape, first_tile + k * shape.n_tiles, num_columns);
        sender.send(get_write_ptr(cb_in1), block_tiles * shape.tile_size);
        cb_push_back(cb_in1, block_tiles);
    }
}

}  // namespace

void kernel_main() {
    constexpr uint32_t kNumAddresses = In1Tensors::Addresses::kCount;
    const auto addresses = In1Tensors::Addresses::read();
    const auto range = In1Range::read(kNumAddresses);
    const OutBlocks blocks = read_out_blocks(kNumAddresses + In1Range::kCount);
    const BlockSender sender(kNumAddresses + In1Range::kCount + OutRange::kCount);
    const auto args = In1Args::read();
    const Shape shape{.k_tiles = args.k_tiles,
                      .n_tiles = blocks.n_tiles,
                      .block_h = args.block_k,
                      .block_w = blocks.block_w,
                      .tile_size = static_cast<uint32_t>(get_tile_size(cb_in1))};
    const auto in1 = TensorAccessor(In1Tensors::in1(), addresses.in1, shape.tile_size);
    const auto out = TensorAccessor(In1Tensors::out(), addresses.out, blocks.tile_size);

    for (uint32_t bh = 0; bh < blocks.num_blocks_h; ++bh) {
        for (uint32_t bw = 0; bw < blocks.num_blocks_w; ++bw) {
            const uint32_t column = bw * shape.block_w;
            feed(in1, shape, sender, range.first_tile + column,
                 columns_in_tensor(blocks.num_columns, column, shape.block_w));
            // The output is written between two passes over K, since no third RISC is free for it.
            if (!blocks.is_sharded) {
                write_block(out, blocks, bh, bw);
            }
        }
    }
    if (blocks.is_sharded) {
        await_shard(blocks);
    }
    // Covers the multicasts and the output's last pages.
    noc_async_write_barrier();
}
