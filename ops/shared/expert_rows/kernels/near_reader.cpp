// SPDX-License-Identifier: Apache-2.0
// Reads the weights of this core's columns that are in its DRAM bank, and announces units to
// compute. Rows come from the writer, by multicast.
//
// A core reads from the bank beside it, so that no two banks share a link of the NoC. Reads from
// all banks by all cores reach 0.77 of DRAM's rate on a Wormhole, and these 0.97.
#include "../../kernels/weight_stream.hpp"
#include "near_units.hpp"

namespace {

constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_units = index_of(Cb::ComputeUnits);

constexpr uint32_t kShareArg = ReaderTensors::Addresses::kCount;

// A unit of no tile rows is the end.
void announce(const Unit& unit, uint32_t first_tile) {
    cb_reserve_back(cb_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_units));
    words[0] = unit.height;
    words[1] = first_tile;
    cb_push_back(cb_units, 1);
}

template <class Stream>
void read_column(Stream& stream, const ReaderArgs& args, const NearArgs& near, uint32_t bank,
                 uint32_t first_tile) {
    const uint32_t step = near.k_push * near.banks;
    for (uint32_t k = first_in_bank(first_tile, bank, near.banks); k < args.k_tiles; k += step) {
        const uint32_t left = div_up(args.k_tiles - k, near.banks);
        stream.add(first_tile + k, smaller(left, near.k_push), near.banks);
    }
}

template <class List, class Stream>
void feed(const List& list, uint32_t tile_rows, const ReaderArgs& args, const NearArgs& near,
          Stream& stream) {
    const auto share = NearShare::read(kShareArg);
    FoundRows<List, 1> found(list);
    UnitWalk walk{tile_rows, near.tile_rows};
    const auto first_of = [&](const Unit& unit) {
        return (unit.expert * args.n_tiles + share.first_column) * args.k_tiles;
    };
    // Compute knows a unit during the one before, so that it can tilize its rows.
    const auto announce_next = [&] {
        const Unit unit = walk.step(found, [](const TileRow&, uint32_t) {});
        announce(unit, first_of(unit));
        return unit;
    };
    Unit unit = announce_next();
    Unit next = unit.height == 0 ? unit : announce_next();
    while (unit.height != 0) {
        Unit after;
        for (uint32_t column = 0; column < share.num_columns; ++column) {
            read_column(stream, args, near, share.bank, first_of(unit) + column * args.k_tiles);
            if (column == share.num_columns / 2 && next.height != 0) {
                // The list is read with a barrier for all reads.
                stream.drain();
                after = announce_next();
            }
        }
        unit = next;
        next = after;
    }
    stream.drain();
}

}  // namespace

void kernel_main() {
    const auto args = ReaderArgs::read();
    const auto near = NearArgs::read();
    const auto tile_bytes = static_cast<uint32_t>(get_tile_size(cb_weights));
    const TensorAccessor weights(ReaderTensors::weights(), ReaderTensors::weights_address(),
                                 tile_bytes);
    const TensorAccessor ids(ReaderTensors::ids(), ReaderTensors::ids_address());
    const TensorAccessor experts(ReaderTensors::experts(), ReaderTensors::experts_address());
    const TensorAccessor end(ReaderTensors::num_listed(), ReaderTensors::num_listed_address());
    WeightStream<decltype(weights)> stream{weights,     cb_weights, near.k_push,
                                           near.pushes, tile_bytes, get_write_ptr(cb_weights)};
    if (args.is_batched != 0) {
        const BatchList list = batch_list(ids, args);
        feed(list, list.num_tile_rows(), args, near, stream);
        return;
    }
    const auto list = block_list(ids, experts, args);
    feed(list, listed_tile_rows(list, end), args, near, stream);
}
