// SPDX-License-Identifier: Apache-2.0
// Tilizes the rows of a unit once, for all strips that follow on them, and multiplies them with the
// weights. Tiles of weights are transposed on their way into the source register. Sums stay in DST
// over all of K and are packed as rows. With scales of a block of K, or of some columns, each
// block's sums are scaled by themselves in fp32. The packer adds them to those before in L1.

namespace {

constexpr uint32_t cb_rows = 0;
constexpr uint32_t cb_tiles = 1;
constexpr uint32_t cb_weights = 2;
constexpr uint32_t cb_scales = 3;
constexpr uint32_t cb_units = 4;
constexpr uint32_t cb_row_scales = 10;
constexpr uint32_t cb_column_scales = 11;
constexpr uint32_t cb_sums = 12;
constexpr uint32_t cb_out = 16;

struct Shapes {
    uint32_t k_tiles;
    uint32_t strip;
    uint32_t k_block;
    uint32_t k_chunk;
    uint32_t chunks;
    bool is_scaled;
    bool is_in_blocks;
    uint32_t block;  // K tiles that share their scales
    bool has_column_scales;
    bool has_row_scales;
};

void tilize_rows(const Shapes& shapes, bool holds_rows) {
    // The tiles of the last rows stay for all strips. They are dropped only when new rows come.
    if (holds_rows) {
        cb_pop_front(cb_tiles, shapes.chunks * shapes.k_chunk);
        if (shapes.is_scaled) {
            cb_pop_front(cb_scales, 1);
        }
    }
    // The product before left unpacker and packer with weights and output.
    reconfig_data_format_srca(cb_rows);
    pack_reconfig_data_format(cb_tiles);
    tilize_init_short(cb_rows, shapes.k_chunk, cb_tiles);
    for (uint32_t chunk = 0; chunk < shapes.chunks; ++chunk) {
        cb_wait_front(cb_rows, shapes.k_chunk);
        cb_reserve_back(cb_tiles, shapes.k_chunk);
        tilize_block(cb_rows, shapes.k_chunk, cb_tiles);
        cb_push_back(cb_tiles, shapes.k_chunk);
        cb_pop_front(cb_rows, shapes.k_chunk);
    }
    tilize_uninit(cb_rows, cb_tiles);
    // All chunks are kept: a strip multiplies the whole K of the rows.
    cb_wait_front(cb_tiles, shapes.chunks * shapes.k_chunk);
    if (shapes.is_scaled) {
        cb_wait_front(cb_scales, 1);
    }
}

void multiply(const Shapes& shapes, uint32_t columns) {
    // Weights are the second operand, which goes to SrcA; rows go to SrcB.
    reconfig_data_format(cb_weights, cb_tiles);
    mm_block_init_short(cb_tiles, cb_weights, 1, columns, 1, shapes.k_block);
    for (uint32_t first = 0; first < shapes.k_tiles; first += shapes.k_block) {
        const uint32_t left = shapes.k_tiles - first;
        const uint32_t count = left < shapes.k_block ? left : shapes.k_block;
        // Whole blocks, also for the last K: buffers are multiples of blocks and wrap only at their
        // exact end.
        cb_wait_front(cb_weights, shapes.k_block * shapes.strip);
        for (uint32_t k = 0; k < count; ++k) {
            matmul_block(cb_tiles, cb_weights, first + k, k * shapes.strip, 0, 1, columns, 1,
                         shapes.k_block);
        }
        cb_pop_front(cb_weights, shapes.k_block * shapes.strip);
    }
}

// Multiplies the sums of a block in DST with one of its scales; the spare tile of DST holds it.
template <BroadcastType broadcast>
void scale_sum(uint32_t cb, uint32_t tile, uint32_t column, uint32_t spare) {
    // Scales lie in row 0 or column 0 of a tile; the unpacker spreads them over the tile in DST.
    unary_bcast_init<broadcast>(cb, cb_sums);
    unary_bcast<broadcast>(cb, tile, spare);
    mul_binary_tile_init();
    mul_binary_tile(column, spare, column);
}

void add_block(const Shapes& shapes, uint32_t columns, bool is_first) {
    if (shapes.has_column_scales) {
        cb_wait_front(cb_column_scales, shapes.strip);
        for (uint32_t column = 0; column < columns; ++column) {
            scale_sum<BroadcastType::ROW>(cb_column_scales, column, column, shapes.strip);
        }
        cb_pop_front(cb_column_scales, shapes.strip);
    }
    if (shapes.has_row_scales) {
        cb_wait_front(cb_row_scales, 1);
        for (uint32_t column = 0; column < columns; ++column) {
            scale_sum<BroadcastType::COL>(cb_row_scales, 0, column, shapes.strip);
        }
        cb_pop_front(cb_row_scales, 1);
    }
    tile_regs_commit();
    pack_reconfig_data_format(cb_sums);
    // The first block overwrites the sums of the unit before.
    pack_reconfig_l1_acc(is_first ? 0 : 1);
    tile_regs_wait();
    for (uint32_t column = 0; column < columns; ++column) {
        pack_tile<true>(column, cb_sums, column);
    }
    tile_regs_release();
}

void multiply_in_blocks(const Shapes& shapes, uint32_t columns) {
    cb_reserve_back(cb_sums, shapes.strip);
    for (uint32_t first = 0; first < shapes.k_tiles; first += shapes.k_block) {
        const uint32_t left = shapes.k_tiles - first;
        const uint32_t count = left < shapes.k_block ? left : shapes.k_block;
        cb_wait_front(cb_weights, shapes.k_block * shapes.strip);
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t tile = first + k;
            // A block of scales begins: sums of earlier blocks are already in L1.
            if (tile % shapes.block == 0) {
                tile_regs_acquire();
                reconfig_data_format(cb_weights, cb_tiles);
                mm_block_init_short(cb_tiles, cb_weights, 1, columns, 1, shapes.k_block);
            }
            matmul_block(cb_tiles, cb_weights, tile, k * shapes.strip, 0, 1, columns, 1,
                         shapes.k_block);
            if ((tile + 1) % shapes.block == 0 || tile + 1 == shapes.k_tiles) {
                add_block(shapes, columns, tile < shapes.block);
            }
        }
        cb_pop_front(cb_weights, shapes.k_block * shapes.strip);
    }
    // Later packs of output must overwrite again.
    pack_reconfig_l1_acc(0);
    cb_push_back(cb_sums, shapes.strip);
}

void take_sums(const Shapes& shapes, uint32_t columns) {
    cb_wait_front(cb_sums, shapes.strip);
    // Back to DST for the last scaling, and because the packer untilizes from DST.
    copy_tile_to_dst_init_short_with_dt(cb_weights, cb_sums);
    for (uint32_t column = 0; column < columns; ++column) {
        copy_tile(cb_sums, column, column);
    }
    cb_pop_front(cb_sums, shapes.strip);
}

// Multiplies with the routing weights of the rows, which are in every column.
void scale(const Shapes& shapes, uint32_t columns) {
    copy_tile_to_dst_init_short_with_dt(cb_weights, cb_scales);
    copy_tile(cb_scales, 0, shapes.strip);
    mul_binary_tile_init();
    for (uint32_t column = 0; column < columns; ++column) {
        mul_binary_tile(column, shapes.strip, column);
    }
}

// The width is a template argument of the vendor's function, so each strip has an instance.
template <uint32_t strip>
void pack_rows() {
    pack_reconfig_data_format(cb_out);
    pack_untilize_dest_init<strip>(cb_out);
    cb_reserve_back(cb_out, strip);
    tile_regs_wait();
    pack_untilize_dest<strip>(cb_out);
    tile_regs_release();
    cb_push_back(cb_out, strip);
    pack_untilize_uninit(cb_out);
}

void pack_rows(uint32_t strip) {
    switch (strip) {
        case 1:
            return pack_rows<1>();
        case 2:
            return pack_rows<2>();
        case 3:
            return pack_rows<3>();
        default:
            return pack_rows<4>();
    }
}

}  // namespace

void kernel_main() {
    const Shapes shapes{get_compile_time_arg_val(0),      get_compile_time_arg_val(1),
                        get_compile_time_arg_val(2),      get_compile_time_arg_val(3),
                        get_compile_time_arg_val(4),      get_compile_time_arg_val(5) != 0,
                        get_compile_time_arg_val(6) != 0, get_compile_time_arg_val(7),
                        get_compile_time_arg_val(8) != 0, get_compile_time_arg_val(9) != 0};

    mm_block_init(cb_tiles, cb_weights, cb_out, 1, shapes.strip, 1, shapes.k_block);
    // An endless loop: the reader announces units, and only it knows the counts.
    for (bool holds_rows = false;; holds_rows = true) {
        cb_wait_front(cb_units, 1);
        // Compute cannot read L1 by itself: the unpacker reads the words and passes them to math
        // and pack.
        const uint32_t what = read_tile_value(cb_units, 0, 0);
        const uint32_t columns = read_tile_value(cb_units, 0, 1);
        const uint32_t has_new_rows = read_tile_value(cb_units, 0, 2);
        cb_pop_front(cb_units, 1);
        if (what == 0) {
            return;
        }
        if (has_new_rows != 0) {
            tilize_rows(shapes, holds_rows);
        }
        if (shapes.is_in_blocks) {
            multiply_in_blocks(shapes, columns);
            tile_regs_acquire();
            take_sums(shapes, columns);
        } else {
            tile_regs_acquire();
            multiply(shapes, columns);
        }
        if (shapes.is_scaled) {
            scale(shapes, columns);
        }
        tile_regs_commit();
        pack_rows(shapes.strip);
    }
}
