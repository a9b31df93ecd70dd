// SPDX-License-Identifier: Apache-2.0
// Writes zeros to this core's share of the tiles without tokens, then every block as it is packed.
// Rows after the last token are cleared. If other cores have parts of a block's sums, it asks for
// them first and hands them to compute.
#include "../../kernels/arithmetic.hpp"
#include "core_share.hpp"

namespace {

constexpr uint32_t cb_counts = tt::CBIndex::c_3;
constexpr uint32_t cb_blocks = tt::CBIndex::c_5;
constexpr uint32_t cb_zero_tile = tt::CBIndex::c_6;
constexpr uint32_t cb_arrived = tt::CBIndex::c_8;
constexpr uint32_t cb_out = tt::CBIndex::c_16;
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;
constexpr uint32_t face_height = tt::constants::FACE_HEIGHT;
constexpr uint32_t face_row_bytes = tt::constants::FACE_WIDTH * 2;  // bfloat16

void fill_zeros(uint32_t l1_addr, uint32_t num_bytes) {
    tt_l1_ptr uint32_t* words = reinterpret_cast<tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < num_bytes / 4; ++i) {
        words[i] = 0;
    }
}

// The rows of a face that hold tokens, for a tile with `num_tokens` rows of them.
uint32_t valid_rows(uint32_t face, uint32_t num_tokens) {
    // Faces 0 and 1 have the upper 16 rows, faces 2 and 3 the lower.
    const uint32_t first_row = face < 2 ? 0 : face_height;
    const uint32_t rows = num_tokens > first_row ? num_tokens - first_row : 0;
    return rows < face_height ? rows : face_height;
}

void clear_rows_behind(uint32_t tile_addr, uint32_t num_tokens) {
    for (uint32_t face = 0; face < 4; ++face) {
        const uint32_t rows = valid_rows(face, num_tokens);
        fill_zeros(tile_addr + (face * face_height + rows) * face_row_bytes,
                   (face_height - rows) * face_row_bytes);
    }
}

struct Shapes {
    uint32_t num_experts;
    uint32_t token_tiles;
    uint32_t column_tiles;
    uint32_t block_height;
    uint32_t block_width;
    uint32_t tile_size;

    uint32_t block_tiles() const { return block_height * block_width; }
};

// Writes zero tiles first … first + count - 1, counted over the tiles without tokens of all
// experts.
template <class Accessor>
void write_zeros(const Accessor& output, const Shapes& shapes, const TokenCounts& counts,
                 uint32_t first, uint32_t count) {
    const uint32_t zero_tile = get_write_ptr(cb_zero_tile);
    // Written by stores once; all zero tiles are then sent from the same place.
    fill_zeros(zero_tile, shapes.tile_size);
    uint32_t zeros_before = 0;
    // Tiles are numbered over all experts, so that the zeros are split evenly whatever the counts
    // are.
    for (uint32_t expert = 0; expert < shapes.num_experts; ++expert) {
        const uint32_t valid_tiles = counts.tile_rows(expert);
        const uint32_t first_tile =
            (expert * shapes.token_tiles + valid_tiles) * shapes.column_tiles;
        const uint32_t zeros = (shapes.token_tiles - valid_tiles) * shapes.column_tiles;
        const uint32_t end = smaller(first + count, zeros_before + zeros);
        for (uint32_t zero = larger(first, zeros_before); zero < end; ++zero) {
            noc_async_write_page(first_tile + zero - zeros_before, output, zero_tile);
        }
        zeros_before += zeros;
    }
    // The zero tile is not written to again, but the writes must end before the launch does.
    noc_async_write_barrier();
}

// The cores that have other parts of K: their coordinates are arguments, pair by pair.
struct OtherParts {
    uint32_t count;
    uint32_t first_arg;
    uint32_t ready;  // semaphores
    uint32_t arrived;

    // Has them send their sums of the next block, which takes as many pages of each.
    void gather(uint32_t block_tiles) const {
        volatile tt_l1_ptr uint32_t* const num_arrived =
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(arrived));
        // Room is reserved before the others are asked: their sums arrive at the write pointer.
        cb_reserve_back(cb_arrived, count * block_tiles);
        for (uint32_t part = 0; part < count; ++part) {
            noc_semaphore_inc(
                get_noc_addr(get_arg_val<uint32_t>(first_arg + 2 * part),
                             get_arg_val<uint32_t>(first_arg + 2 * part + 1), get_semaphore(ready)),
                1);
        }
        // Equality would miss a count that is already higher; no core sends a second part before it
        // is asked again.
        noc_semaphore_wait(num_arrived, count);
        noc_semaphore_set(num_arrived, 0);
        cb_push_back(cb_arrived, count * block_tiles);
    }
};

// Writes the next block that the reader announced once compute has packed it; false if it announced
// that there are no more.
template <class Accessor>
bool write_block(const Accessor& output, const Shapes& shapes) {
    cb_wait_front(cb_blocks, 1);
    volatile tt_l1_ptr uint32_t* words =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(cb_blocks));
    const uint32_t first_tile = words[0];
    const uint32_t rows = words[1];
    const uint32_t columns = words[2];
    const uint32_t num_tokens = words[3];
    cb_pop_front(cb_blocks, 1);
    if (rows == 0) {
        return false;
    }

    cb_wait_front(cb_out, shapes.block_tiles());
    uint32_t l1_addr = get_read_ptr(cb_out);
    for (uint32_t row = 0; row < rows; ++row) {
        // Rows after the last token hold products of stale rows. They are cleared, as the contract
        // states zeros there.
        const uint32_t row_tokens = num_tokens - row * tile_height;
        for (uint32_t column = 0; column < columns; ++column) {
            if (row_tokens < tile_height) {
                clear_rows_behind(l1_addr, row_tokens);
            }
            noc_async_write_page(first_tile + row * shapes.column_tiles + column, output, l1_addr);
            l1_addr += shapes.tile_size;
        }
    }
    // The pages may be packed again, so their data must have left L1.
    noc_async_writes_flushed();
    cb_pop_front(cb_out, shapes.block_tiles());
    return true;
}

}  // namespace

void kernel_main() {
    const uint32_t output_addr = get_arg_val<uint32_t>(0);
    const uint32_t counts_addr = get_arg_val<uint32_t>(1);
    const Shapes shapes{.num_experts = get_compile_time_arg_val(0),
                        .token_tiles = get_compile_time_arg_val(1),
                        .column_tiles = get_compile_time_arg_val(2),
                        .block_height = get_compile_time_arg_val(3),
                        .block_width = get_compile_time_arg_val(4),
                        .tile_size = static_cast<uint32_t>(get_tile_size(cb_out))};
    const uint32_t counts_stride = get_compile_time_arg_val(5);
    const uint32_t split = get_compile_time_arg_val(6);
    const OtherParts others{get_compile_time_arg_val(7), 5, get_compile_time_arg_val(8),
                            get_compile_time_arg_val(9)};
    constexpr auto output_args = TensorAccessorArgs<10>();
    constexpr auto counts_args = TensorAccessorArgs<output_args.next_compile_time_args_offset()>();
    const auto output = TensorAccessor(output_args, output_addr, shapes.tile_size);
    const TokenCounts counts =
        read_counts(TensorAccessor(counts_args, counts_addr, sizeof(uint32_t)),
                    get_write_ptr(cb_counts), counts_stride, shapes.num_experts);

    uint32_t num_blocks = get_arg_val<uint32_t>(2);
    Share zeros{get_arg_val<uint32_t>(3), 1, get_arg_val<uint32_t>(4)};
    if (split != kSplitByHost) {
        const CoreOfGrid core = core_of_args(2);
        const BlockShape block{shapes.column_tiles, shapes.block_height, shapes.block_width};
        const uint32_t blocks = count_blocks(counts, block);
        const uint32_t num_zeros =
            count_zero_tiles(counts, shapes.token_tiles, shapes.column_tiles);
        num_blocks = share_of_blocks(core, blocks).count;
        zeros = split == kSplitByReader ? part_of(num_zeros, core.num_cores, core.index)
                                        : share_of_zeros(core, blocks, num_zeros);
    }
    // Zeros first: compute needs time for the first block.
    write_zeros(output, shapes, counts, zeros.first, zeros.count);
    for (uint32_t block = 0; block < num_blocks && split != kSplitByReader; ++block) {
        if (others.count != 0) {
            others.gather(shapes.block_tiles());
        }
        write_block(output, shapes);
    }
    while (split == kSplitByReader && write_block(output, shapes)) {
    }
    // The requests to other cores are atomics, which must have been acknowledged when the kernel
    // ends.
    if (others.count != 0) {
        noc_async_atomic_barrier();
    }
    noc_async_write_barrier();
}
