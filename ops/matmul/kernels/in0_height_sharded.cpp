// SPDX-License-Identifier: Apache-2.0
// Pushes blocks of in0 in a core's own shard to compute: in place, or copied into order.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::matmul;

constexpr uint32_t cb_in0 = index_of(Cb::In0);
constexpr uint32_t cb_shard = index_of(Cb::In0Shard);

struct Shape {
    uint32_t k_tiles;  // tiles of a row of the shard
    uint32_t block_w;
    uint32_t block_h;
    uint32_t tile_size;
};

void copy_block(const Shape& shape, uint32_t first_tile) {
    const uint32_t row_bytes = shape.block_w * shape.tile_size;
    uint32_t shard_addr = get_read_ptr(cb_shard) + first_tile * shape.tile_size;
    uint32_t l1_addr = get_write_ptr(cb_in0);
    for (uint32_t row = 0; row < shape.block_h; ++row) {
        // Reads of this core's own L1 through the NoC: it copies at its full width while the RISC
        // issues the next row.
        noc_async_read(get_noc_addr(shard_addr), l1_addr, row_bytes);
        shard_addr += shape.k_tiles * shape.tile_size;
        l1_addr += row_bytes;
    }
    noc_async_read_barrier();
}

// A shard that is the CB itself is in place already.
void provide_block(const Shape& shape, uint32_t first_tile, bool is_in_place) {
    if (!is_in_place) {
        copy_block(shape, first_tile);
    }
}

}  // namespace

void kernel_main() {
    const auto args = In0Args::read();
    const bool is_in_place = In0ShardArgs::read().is_in_place != 0;
    const Shape shape{.k_tiles = args.k_tiles,
                      .block_w = args.block_w,
                      .block_h = args.block_h,
                      .tile_size = static_cast<uint32_t>(get_tile_size(cb_in0))};
    const uint32_t block_tiles = shape.block_h * shape.block_w;

    for (uint32_t bh = 0; bh < args.num_blocks_h; ++bh) {
        for (uint32_t bw = 0; bw < args.num_blocks_w; ++bw) {
            for (uint32_t k = 0; k < shape.k_tiles; k += shape.block_w) {
                cb_reserve_back(cb_in0, block_tiles);
                provide_block(shape, bh * shape.block_h * shape.k_tiles + k, is_in_place);
                cb_push_back(cb_in0, block_tiles);
            }
        }
    }
}
