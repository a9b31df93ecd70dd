// SPDX-License-Identifier: Apache-2.0
// Writes zeros to this core's share of the tiles without tokens, then every block as it is packed.
// Rows after the last token are cleared. If other cores have parts of a block's sums, it asks for
// them first and hands them to compute.
#include "../../kernels/arithmetic.hpp"
#include "zero_rows.hpp"

namespace {

using namespace tessera::ops::valid_tiles;

constexpr uint32_t cb_blocks = index_of(Cb::WriterBlocks);
constexpr uint32_t cb_arrived = index_of(Cb::Arrived);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

struct Shapes : TileArgs, BlockArgs {
    uint32_t tile_size;

    uint32_t block_tiles() const { return block_height * block_width; }
};

constexpr uint32_t kShareArgs = WriterTensors::Addresses::kCount;
constexpr uint32_t kPartArgs = kShareArgs + CoreOfGrid::kCount;
static_assert(CoreOfGrid::kCount == HostTiles::kCount, "a share has one length in both forms");

// The cores that have other parts of K.
struct OtherParts : PartArgs {
    // Requests the sums of the next block from each other part, `block_tiles` pages per part, and
    // waits for them.
    void gather(uint32_t block_tiles) const {
        volatile tt_l1_ptr uint32_t* const num_arrived =
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(arrived_semaphore));
        // Space is reserved before the request: the sums arrive at the write pointer.
        cb_reserve_back(cb_arrived, num_parts * block_tiles);
        for (uint32_t part = 0; part < num_parts; ++part) {
            const auto core = PartCore::read(kPartArgs + PartCore::kCount * part);
            noc_semaphore_inc(get_noc_addr(core.x, core.y, get_semaphore(ready_semaphore)), 1);
        }
        // Equality would miss a count that is already higher; no core sends a second part before it
        // is asked again.
        noc_semaphore_wait(num_arrived, num_parts);
        noc_semaphore_set(num_arrived, 0);
        cb_push_back(cb_arrived, num_parts * block_tiles);
    }
};

// Writes the next block that the reader announced once compute has packed it; returns false after
// the last block.
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

// The requests to other cores are atomics, which must have been acknowledged when the kernel ends.
void end_transfers(const OtherParts& others) {
    if (others.num_parts != 0) {
        noc_async_atomic_barrier();
    }
    noc_async_write_barrier();
}

}  // namespace

void kernel_main() {
    const auto at = WriterTensors::Addresses::read();
    const auto tiles = TileArgs::read();
    const uint32_t stride = CountArgs::read().counts_stride;
    const Shapes shapes{tiles, BlockArgs::read(), static_cast<uint32_t>(get_tile_size(cb_out))};
    const auto split = static_cast<Split>(SplitArgs::read().split);
    const OtherParts others{PartArgs::read()};
    const auto output = TensorAccessor(WriterTensors::output(), at.output, shapes.tile_size);
    const TokenCounts counts =
        read_counts(TensorAccessor(WriterTensors::counts(), at.counts, sizeof(uint32_t)),
                    Cb::WriterCounts, stride, tiles.num_experts);
    const auto told = HostTiles::read(kShareArgs);
    uint32_t num_blocks = told.num_blocks;
    Share zeros{told.first_zero, 1, told.num_zeros};
    if (split != Split::ByHost) {
        const auto core = CoreOfGrid::read(kShareArgs);
        const BlockShape block{shapes.column_tiles, shapes.block_height, shapes.block_width};
        const uint32_t blocks = count_blocks(counts, block);
        const uint32_t num_zeros =
            count_zero_tiles(counts, shapes.token_tiles, shapes.column_tiles);
        num_blocks = share_of_blocks(core, blocks).count;
        zeros = split == Split::ByReader ? part_of(num_zeros, core.num_cores, core.index)
                                         : share_of_zeros(core, blocks, num_zeros);
    }
    // Zeros first: compute needs time for the first block.
    write_zeros(output, shapes, counts, make_zero_tile(shapes.tile_size), zeros.first, zeros.count);
    // The zero tile is not written to again, but the writes must end before the launch does.
    noc_async_write_barrier();
    for (uint32_t block = 0; block < num_blocks && split != Split::ByReader; ++block) {
        if (others.num_parts != 0) {
            others.gather(shapes.block_tiles());
        }
        write_block(output, shapes);
    }
    while (split == Split::ByReader && write_block(output, shapes)) {
    }
    end_transfers(others);
}
