// SPDX-License-Identifier: Apache-2.0
// Reads this core's tiles that hold tokens, from one input or two, and announces each to the
// writer.

namespace {

constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
constexpr uint32_t cb_counts = tt::CBIndex::c_2;
constexpr uint32_t cb_writer_blocks = tt::CBIndex::c_5;
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

// A tile that holds tokens.
struct ValidTile {
    uint32_t tile;
    uint32_t num_tokens;  // from its first row on
};

// Walks the tiles that hold tokens, expert by expert.
struct ValidTileWalk {
    uint32_t token_tiles;
    uint32_t column_tiles;
    uint32_t counts_l1;
    uint32_t counts_stride;
    uint32_t expert = 0;
    uint32_t tiles_before = 0;  // that hold tokens, of all experts before this one

    uint32_t num_tokens() const {
        return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(counts_l1 + expert * counts_stride);
    }
    uint32_t num_tiles() const {
        return (num_tokens() + tile_height - 1) / tile_height * column_tiles;
    }

    ValidTile find(uint32_t index) {
        for (uint32_t n = num_tiles(); index - tiles_before >= n; n = num_tiles()) {
            tiles_before += n;
            ++expert;
        }
        const uint32_t in_expert = index - tiles_before;
        return {expert * token_tiles * column_tiles + in_expert,
                num_tokens() - in_expert / column_tiles * tile_height};
    }
};

// To the writer, a tile is a block of one row and one column.
void announce(const ValidTile& valid) {
    cb_reserve_back(cb_writer_blocks, 1);
    volatile tt_l1_ptr uint32_t* words =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_writer_blocks));
    words[0] = valid.tile;
    words[1] = 1;
    words[2] = 1;
    words[3] = valid.num_tokens;
    cb_push_back(cb_writer_blocks, 1);
}

}  // namespace

void kernel_main() {
    const uint32_t counts_addr = get_arg_val<uint32_t>(0);
    const uint32_t in0_addr = get_arg_val<uint32_t>(1);
    const uint32_t in1_addr = get_arg_val<uint32_t>(2);
    const uint32_t first_tile = get_arg_val<uint32_t>(3);
    const uint32_t num_tiles = get_arg_val<uint32_t>(4);
    const uint32_t token_tiles = get_compile_time_arg_val(0);
    const uint32_t column_tiles = get_compile_time_arg_val(1);
    const uint32_t num_experts = get_compile_time_arg_val(2);
    const uint32_t counts_stride = get_compile_time_arg_val(3);
    const uint32_t num_inputs = get_compile_time_arg_val(4);
    constexpr auto counts_args = TensorAccessorArgs<5>();
    constexpr auto in0_args = TensorAccessorArgs<counts_args.next_compile_time_args_offset()>();
    constexpr auto in1_args = TensorAccessorArgs<in0_args.next_compile_time_args_offset()>();
    const uint32_t tile_size = get_tile_size(cb_in0);
    const auto counts = TensorAccessor(counts_args, counts_addr, sizeof(uint32_t));
    const auto in0 = TensorAccessor(in0_args, in0_addr, tile_size);
    const auto in1 = TensorAccessor(in1_args, in1_addr, tile_size);

    const uint32_t counts_l1 = get_write_ptr(cb_counts);
    for (uint32_t expert = 0; expert < num_experts; ++expert) {
        noc_async_read_page(expert, counts, counts_l1 + expert * counts_stride);
    }
    noc_async_read_barrier();

    ValidTileWalk walk{token_tiles, column_tiles, counts_l1, counts_stride};
    for (uint32_t index = first_tile; index < first_tile + num_tiles; ++index) {
        const ValidTile valid = walk.find(index);
        announce(valid);
        cb_reserve_back(cb_in0, 1);
        noc_async_read_page(valid.tile, in0, get_write_ptr(cb_in0));
        if (num_inputs == 2) {
            cb_reserve_back(cb_in1, 1);
            noc_async_read_page(valid.tile, in1, get_write_ptr(cb_in1));
        }
        noc_async_read_barrier();
        cb_push_back(cb_in0, 1);
        if (num_inputs == 2) {
            cb_push_back(cb_in1, 1);
        }
    }
}
