// SPDX-License-Identifier: Apache-2.0
// Reads blocks of in0 from memory and multicasts each to the other cores of its row.
#include "../../shared/kernels/block_handshake.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::matmul;

constexpr uint32_t cb_in0 = index_of(Cb::In0);

struct Shape {
    uint32_t k_tiles;  // tiles of a row of the tensor
    uint32_t block_w;
    uint32_t block_h;
    uint32_t tile_size;
};

// Rows beyond the tensor keep the buffer's old contents: they reach output rows that are not
// written.
template <class Accessor>
void read_block(const Accessor& in0, const Shape& shape, uint32_t first_tile, uint32_t num_rows) {
    const uint32_t l1_addr = get_write_ptr(cb_in0);
    // Tiles of a row are neighbours in the tensor, so their reads go to different DRAM banks.
    for (uint32_t row = 0; row < num_rows; ++row) {
        for (uint32_t k = 0; k < shape.block_w; ++k) {
            noc_async_read_page(first_tile + row * shape.k_tiles + k, in0,
                                l1_addr + (row * shape.block_w + k) * shape.tile_size);
        }
    }
    // One barrier a block keeps all of its reads in flight together.
    noc_async_read_barrier();
}

uint32_t rows_in_tensor(uint32_t num_rows, uint32_t first_row, uint32_t block_h) {
    const uint32_t rest = num_rows > first_row ? num_rows - first_row : 0;
    return rest < block_h ? rest : block_h;
}

}  // namespace

void kernel_main() {
    constexpr uint32_t kNumAddresses = In0Tensors::Addresses::kCount;
    const auto addresses = In0Tensors::Addresses::read();
    const auto range = In0Range::read(kNumAddresses);
    const BlockSender sender(kNumAddresses + In0Range::kCount);
    const auto args = In0Args::read();
    const Shape shape{.k_tiles = args.k_tiles,
                      .block_w = args.block_w,
                      .block_h = args.block_h,
                      .tile_size = static_cast<uint32_t>(get_tile_size(cb_in0))};
    const auto in0 = TensorAccessor(In0Tensors::in0(), addresses.in0, shape.tile_size);
    const uint32_t block_tiles = shape.block_h * shape.block_w;

    for (uint32_t bh = 0; bh < args.num_blocks_h; ++bh) {
        const uint32_t rows = rows_in_tensor(range.num_rows, bh * shape.block_h, shape.block_h);
        const uint32_t row_tile = range.first_tile + bh * shape.block_h * shape.k_tiles;
        for (uint32_t bw = 0; bw < args.num_blocks_w; ++bw) {
            for (uint32_t k = 0; k < shape.k_tiles; k += shape.block_w) {
                cb_reserve_back(cb_in0, block_tiles);
                read_block(in0, shape, row_tile + k, rows);
                // The receivers' pages have the same address as these: all of them move through
                // equal buffers in step.
                sender.send(get_write_ptr(cb_in0), block_tiles * shape.tile_size);
                cb_push_back(cb_in0, block_tiles);
            }
        }
    }
    // The last block must have arrived before the launch ends.
    noc_async_write_barrier();
}
