// SPDX-License-Identifier: Apache-2.0
// Reads this core's tiles that hold tokens, from one input or two, and announces each to the
// writer.
#include "../../shared/valid_tiles/kernels/core_share.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops::expert_eltwise;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t cb_in0 = index_of(Cb::Input);
constexpr uint32_t cb_in1 = index_of(Cb::SecondInput);
constexpr uint32_t cb_compute_blocks = index_of(Cb::ComputeBlocks);
constexpr uint32_t kShareArgs = ReaderTensors::Addresses::kCount;
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
    const TokenCounts& counts;
    uint32_t expert = 0;
    uint32_t tiles_before = 0;  // that hold tokens, of all experts before this one

    uint32_t num_tiles() const { return counts.tile_rows(expert) * column_tiles; }

    ValidTile find(uint32_t index) {
        // Experts are skipped whole. Indices of a core ascend, so that the walk never goes back.
        for (uint32_t n = num_tiles(); index - tiles_before >= n; n = num_tiles()) {
            tiles_before += n;
            ++expert;
        }
        const uint32_t in_expert = index - tiles_before;
        // Rows from the expert's first tile row on; more than 32 means a full tile.
        return {expert * token_tiles * column_tiles + in_expert,
                counts.of(expert) - in_expert / column_tiles * tile_height};
    }
};

void tell_compute(uint32_t num_tiles) {
    // Before the first tile, so that compute can start its loop.
    cb_reserve_back(cb_compute_blocks, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_compute_blocks)) = num_tiles;
    cb_push_back(cb_compute_blocks, 1);
}

// Pushes a tile of each input; one barrier covers both reads.
void push_tile(const PageAccessor& in0, const PageAccessor& in1, uint32_t num_inputs,
               uint32_t tile) {
    cb_reserve_back(cb_in0, 1);
    noc_async_read_page(tile, in0, get_write_ptr(cb_in0));
    if (num_inputs == 2) {
        cb_reserve_back(cb_in1, 1);
        noc_async_read_page(tile, in1, get_write_ptr(cb_in1));
    }
    noc_async_read_barrier();
    cb_push_back(cb_in0, 1);
    if (num_inputs == 2) {
        cb_push_back(cb_in1, 1);
    }
}

}  // namespace

void kernel_main() {
    const auto at = ReaderTensors::Addresses::read();
    const auto tiles = TileArgs::read();
    const uint32_t stride = CountArgs::read().counts_stride;
    const auto split = static_cast<Split>(SplitArgs::read().split);
    const uint32_t num_inputs = ReaderArgs::read().num_inputs;
    const uint32_t tile_size = get_tile_size(cb_in0);
    const auto in0 = TensorAccessor(ReaderTensors::input(), at.input, tile_size);
    const auto in1 = TensorAccessor(ReaderTensors::second_input(), at.second_input, tile_size);
    const TokenCounts counts =
        read_counts(TensorAccessor(ReaderTensors::counts(), at.counts, sizeof(uint32_t)),
                    Cb::ReaderCounts, stride, tiles.num_experts);
    // The host's share, or one from the counts; a share of neighbours has stride 1.
    const HostBlocks::Each told{kShareArgs};
    Share share{told.first(), 1, told.count()};
    if (split != Split::ByHost) {
        const auto core = CoreOfGrid::read(kShareArgs);
        share = share_of_blocks(core, count_blocks(counts, {tiles.column_tiles, 1, 1}));
        tell_compute(share.count);
    }

    ValidTileWalk walk{tiles.token_tiles, tiles.column_tiles, counts};
    for (uint32_t index = share.first; index < share.first + share.count; ++index) {
        const ValidTile valid = walk.find(index);
        // Announced before it is read: the writer needs only numbers. To the writer, a tile is a
        // block of one row and one column.
        announce(Cb::WriterBlocks, valid.tile, 1, 1, valid.num_tokens);
        push_tile(in0, in1, num_inputs, valid.tile);
    }
}
