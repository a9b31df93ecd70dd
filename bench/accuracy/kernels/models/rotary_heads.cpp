// SPDX-License-Identifier: Apache-2.0
// Rotates the heads of a user: x · cos + (x · R) · sin. R is a tile that swaps neighbours. cos and
// sin have one row, or as many rows as the heads. All operands are in the core's L1.
// Compile-time args: tiles of heads, of a head; whether cos and sin have one row.

namespace {

constexpr uint32_t cb_in = tt::CBIndex::c_0;
constexpr uint32_t cb_cos = tt::CBIndex::c_2;
constexpr uint32_t cb_sin = tt::CBIndex::c_3;
constexpr uint32_t cb_swap = tt::CBIndex::c_4;
constexpr uint32_t cb_out = tt::CBIndex::c_16;
constexpr uint32_t cb_rotated = tt::CBIndex::c_24;
constexpr uint32_t cb_with_cos = tt::CBIndex::c_25;
constexpr uint32_t cb_with_sin = tt::CBIndex::c_26;

void hand_over(uint32_t cb, uint32_t tiles) {
    cb_reserve_back(cb, tiles);
    cb_push_back(cb, tiles);
    cb_wait_front(cb, tiles);
}

void pack_row(uint32_t cb, uint32_t tiles) {
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
    cb_push_back(cb, tiles);
}

void rotate(uint32_t tiles) {
    mm_init_short(cb_in, cb_swap);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        matmul_tiles(cb_in, cb_swap, tile, 0, tile);
    }
    pack_row(cb_rotated, tiles);
    cb_wait_front(cb_rotated, tiles);
}

void arm_multiply(bool of_one_row, uint32_t cb, uint32_t cb_factor) {
    if (of_one_row) {
        mul_bcast_rows_init_short(cb, cb_factor);
    } else {
        mul_tiles_init(cb, cb_factor);
    }
}

void multiply(bool of_one_row, uint32_t cb, uint32_t cb_factor, uint32_t to, uint32_t tiles) {
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        if (of_one_row) {
            mul_tiles_bcast_rows(cb, cb_factor, tile, tile, tile);
        } else {
            mul_tiles(cb, cb_factor, tile, tile, tile);
        }
    }
    pack_row(to, tiles);
    cb_pop_front(cb, tiles);
}

void add(uint32_t tiles) {
    cb_wait_front(cb_with_sin, tiles);
    cb_wait_front(cb_with_cos, tiles);
    add_tiles_init(cb_with_cos, cb_with_sin);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        add_tiles(cb_with_cos, cb_with_sin, tile, tile, tile);
    }
    pack_row(cb_out, tiles);
    cb_pop_front(cb_with_sin, tiles);
    cb_pop_front(cb_with_cos, tiles);
}

}  // namespace

void kernel_main() {
    const uint32_t heads = get_compile_time_arg_val(0);
    const uint32_t tiles = get_compile_time_arg_val(1);
    const bool of_one_row = get_compile_time_arg_val(2) != 0;

    mm_init(cb_in, cb_swap, cb_out);
    binary_op_init_common(cb_rotated, cb_sin, cb_with_sin);
    hand_over(cb_swap, 1);
    hand_over(cb_sin, tiles);
    hand_over(cb_cos, tiles);
    for (uint32_t head = 0; head < heads; ++head) {
        for (const uint32_t cb : {cb_rotated, cb_with_sin, cb_with_cos, cb_out}) {
            cb_reserve_back(cb, tiles);
        }
        hand_over(cb_in, tiles);
        rotate(tiles);
        arm_multiply(of_one_row, cb_rotated, cb_sin);
        multiply(of_one_row, cb_rotated, cb_sin, cb_with_sin, tiles);
        if (!of_one_row) {
            arm_multiply(of_one_row, cb_in, cb_cos);
        }
        multiply(of_one_row, cb_in, cb_cos, cb_with_cos, tiles);
        add(tiles);
    }
}
