// SPDX-License-Identifier: Apache-2.0
// Reads the weights of this core's columns that are in the DRAM bank beside it, expert by expert,
// and announces each row of tiles to compute. Rows come from the writer, by multicast.
#include "../../shared/kernels/weight_stream.hpp"
#include "../../shared/valid_tiles/kernels/core_share.hpp"
#include "near_args.hpp"

namespace {

using namespace tessera::ops::moe_bmm;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t cb_weights = index_of(Cb::SecondInput);
constexpr uint32_t cb_units = index_of(NearCb::Units);
constexpr uint32_t kShareArg = NearReaderTensors::Addresses::kCount;

struct Args : TileArgs, InnerArgs, NearArgs {};

// Tells compute the first tile of the unit's expert and whether its weights leave with this unit.
void announce_unit(uint32_t is_unit, uint32_t expert_tile, uint32_t is_last) {
    cb_reserve_back(cb_units, 1);
    volatile tt_l1_ptr uint32_t* words =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_units));
    words[0] = is_unit;
    words[1] = expert_tile;
    words[2] = is_last;
    cb_push_back(cb_units, 1);
}

// Reads this core's tiles of a column in pushes. All columns have the same number of pushes, so
// that the weights of an expert never wrap around the end of the buffer.
template <class Stream>
void read_column(Stream& stream, const Args& args, const NearShare& share, uint32_t first_tile) {
    const NearTiles tiles =
        tiles_in_bank(first_tile, args.column_tiles, args, share.bank, share.in_bank);
    uint32_t k = tiles.first;
    for (uint32_t push = 0; push < args.pushes; ++push) {
        const uint32_t left = k < args.k_tiles ? div_up(args.k_tiles - k, tiles.step) : 0;
        const uint32_t count = smaller(left, args.k_block);
        stream.add(first_tile + k * args.column_tiles, count, tiles.step * args.column_tiles);
        k += count * tiles.step;
    }
}

template <class Stream>
void read_expert(Stream& stream, const Args& args, const NearShare& share, uint32_t expert_tile) {
    uint32_t column = expert_tile + share.first_column;
    for (uint32_t i = 0; i < args.columns; ++i) {
        if (i < share.num_columns) {
            read_column(stream, args, share, column);
        } else {
            // A core with fewer columns keeps the pace of the buffer.
            for (uint32_t push = 0; push < args.pushes; ++push) {
                stream.add(0, 0, 0);
            }
        }
        column += args.column_step;
    }
}

// Announces the rows of tiles of all experts and reads the weights of each.
template <class Stream>
void feed(Stream& stream, const Args& args, const NearShare& share, const TokenCounts& counts) {
    for (uint32_t expert = 0; expert < args.num_experts; ++expert) {
        const uint32_t rows = counts.tile_rows(expert);
        const uint32_t expert_tile = expert * args.k_tiles * args.column_tiles;
        for (uint32_t row = 0; row < rows; ++row) {
            const bool reads = args.holds_expert == 0 || row == 0;
            if (!reads) {
                // Compute may wait for weights while this core waits for room to announce.
                stream.drain();
            }
            announce_unit(1, expert_tile, args.holds_expert == 0 || row + 1 == rows ? 1 : 0);
            if (reads) {
                read_expert(stream, args, share, expert_tile);
            }
        }
    }
    stream.drain();
    announce_unit(0, 0, 0);
}

}  // namespace

void kernel_main() {
    const Args args{TileArgs::read(), InnerArgs::read(), NearArgs::read()};
    const NearShare share = NearShare::read(kShareArg);
    const auto tile_bytes = static_cast<uint32_t>(get_tile_size(cb_weights));
    const auto weights = TensorAccessor(NearReaderTensors::weights(),
                                        NearReaderTensors::weights_address(), tile_bytes);
    const TokenCounts counts =
        read_counts(TensorAccessor(NearReaderTensors::counts(), NearReaderTensors::counts_address(),
                                   sizeof(uint32_t)),
                    Cb::ReaderCounts, CountArgs::read().counts_stride, args.num_experts);
    WeightStream<decltype(weights)> stream{weights,      cb_weights,
                                           args.k_block, args.weight_pushes,
                                           tile_bytes,   get_write_ptr(cb_weights)};
    feed(stream, args, share, counts);
}
