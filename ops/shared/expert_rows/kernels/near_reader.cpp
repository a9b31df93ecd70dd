// SPDX-License-Identifier: Apache-2.0
// Reads the weights of this core's columns that are in its DRAM bank. Rows come by multicast: in
// turn, a core reads those of a tile row and sends them to all cores.
//
// A core reads from the bank beside it, so that no two banks share a link of the NoC. Reads from
// all banks by all cores reach 0.77 of DRAM's rate on a Wormhole, and these 0.97.
#include "../../kernels/weight_stream.hpp"
#include "near_args.hpp"
#include "table_words.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_units = index_of(Cb::ComputeUnits);

constexpr uint32_t kShareArg = ReaderTensors::Addresses::kCount;
constexpr uint32_t kSemaphoreArg = kShareArg + NearShare::kCount;
constexpr uint32_t kRectangleArg = kSemaphoreArg + NearSemaphores::kCount;
constexpr uint32_t kPlacesArg = kRectangleArg + NearRectangle::kCount;

using Semaphore = volatile tt_l1_ptr uint32_t*;

// The rows of one tile row after another, for all cores.
template <class Accessor>
struct RowSource {
    Accessor& rows;
    const ReaderArgs& args;
    NearShare share;
    NearSemaphores semaphores;
    NearRectangle rectangle;

    bool is_mine(uint32_t unit) const { return unit % share.num_cores == share.number; }

    // Tells the core that brings the rows of `unit` that this one has room for them.
    void offer_room(uint32_t unit) const {
        const auto place = NearPlace::read(kPlacesArg + unit % share.num_cores * NearPlace::kCount);
        noc_semaphore_inc(get_noc_addr(place.x, place.y, get_semaphore(semaphores.rows_free)), 1);
    }
    // Places of a tile without a row keep what L1 has: rows of a product do not mix.
    void send(uint32_t unit, const TileRow& row) const {
        const uint32_t turns = unit / share.num_cores + 1;
        noc_semaphore_wait_min(semaphore(semaphores.rows_free), turns * share.num_cores);
        const uint32_t l1_addr = get_write_ptr(cb_rows);
        for (uint32_t i = 0; i < tile_height; ++i) {
            if (row.sources[i] != kNobody) {
                noc_async_read(rows.get_noc_addr(row.sources[i]), l1_addr + i * args.row_bytes,
                               args.row_bytes);
            }
        }
        noc_async_read_barrier();
        const uint64_t all = get_noc_multicast_addr(rectangle.start_x, rectangle.start_y,
                                                    rectangle.end_x, rectangle.end_y, 0);
        for (uint32_t i = 0; i < tile_height; ++i) {
            const uint32_t place = l1_addr + i * args.row_bytes;
            if (row.sources[i] != kNobody) {
                noc_async_write_multicast(place, all | place, args.row_bytes,
                                          rectangle.num_receivers);
            }
        }
        // The number must not overtake the rows.
        noc_async_write_barrier();
        const uint32_t arrived = get_semaphore(semaphores.rows_arrived);
        noc_semaphore_set(semaphore(semaphores.rows_arrived), unit + 1);
        noc_semaphore_set_multicast(arrived, all | arrived, rectangle.num_receivers);
    }
    // This core has room for the rows of `unit`; if it is its turn, it sends them to all.
    void bring(uint32_t unit, const TileRow& row) const {
        offer_room(unit);
        if (is_mine(unit)) {
            send(unit, row);
        }
    }
    void receive(uint32_t unit) const {
        noc_semaphore_wait_min(semaphore(semaphores.rows_arrived), unit + 1);
        cb_push_back(cb_rows, args.k_tiles);
    }

private:
    static Semaphore semaphore(uint32_t id) {
        return reinterpret_cast<Semaphore>(get_semaphore(id));
    }
};

void announce(Announced what, uint32_t first_tile) {
    cb_reserve_back(cb_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_units));
    words[0] = static_cast<uint32_t>(what);
    words[1] = first_tile;
    cb_push_back(cb_units, 1);
}

// Finds the next tile row with a product from `tile_row` on; `end` if there is none.
template <class List>
uint32_t next_unit(const List& list, uint32_t tile_row, uint32_t end, TileRow& row) {
    for (; tile_row < end; ++tile_row) {
        list.find(tile_row, row);
        if (row.has_rows && row.expert != kNobody) {
            break;
        }
    }
    return tile_row;
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

// Finds the next tile row from `from` on and brings its rows, which are those of `unit`.
template <class List, class Source>
uint32_t bring_next(const List& list, uint32_t from, uint32_t end, const Source& source,
                    uint32_t unit, TileRow& row) {
    const uint32_t tile_row = next_unit(list, from, end, row);
    if (tile_row < end) {
        cb_reserve_back(cb_rows, source.args.k_tiles);
        source.bring(unit, row);
    }
    return tile_row;
}

template <class List, class Source, class Stream>
void feed(const List& list, uint32_t tile_rows, const ReaderArgs& args, const NearArgs& near,
          const Source& source, Stream& stream) {
    const NearShare& share = source.share;
    TileRow row;
    uint32_t tile_row = bring_next(list, 0, tile_rows, source, 0, row);
    for (uint32_t unit = 0; tile_row < tile_rows; ++unit) {
        const uint32_t expert_tile = row.expert * args.n_tiles * args.k_tiles;
        const uint32_t first = expert_tile + share.first_column * args.k_tiles;
        announce(Announced::Unit, first);
        const uint32_t middle = share.num_columns / 2;
        for (uint32_t column = 0; column < share.num_columns; ++column) {
            read_column(stream, args, near, share.bank, first + column * args.k_tiles);
            // The weights of a column are on their way before this core waits for the rows. More
            // of them would delay the products: compute is less than twice as fast as the bank.
            if (column == 0) {
                stream.drain();
                source.receive(unit);
            }
            // The next rows are needed much later. They travel while the weights of half of the
            // columns are still to come.
            if (column == middle) {
                stream.drain();
                tile_row = bring_next(list, tile_row + 1, tile_rows, source, unit + 1, row);
            }
        }
        stream.drain();
    }
    announce(Announced::End, 0);
    noc_async_atomic_barrier();
    noc_async_write_barrier();
}

}  // namespace

void kernel_main() {
    const auto args = ReaderArgs::read();
    const auto near = NearArgs::read();
    const TensorAccessor rows(ReaderTensors::rows(), ReaderTensors::rows_address());
    const auto tile_bytes = static_cast<uint32_t>(get_tile_size(cb_weights));
    const TensorAccessor weights(ReaderTensors::weights(), ReaderTensors::weights_address(),
                                 tile_bytes);
    const TensorAccessor ids(ReaderTensors::ids(), ReaderTensors::ids_address());
    const TensorAccessor experts(ReaderTensors::experts(), ReaderTensors::experts_address());
    const TensorAccessor end(ReaderTensors::num_listed(), ReaderTensors::num_listed_address());
    const RowSource<decltype(rows)> source{rows, args, NearShare::read(kShareArg),
                                           NearSemaphores::read(kSemaphoreArg),
                                           NearRectangle::read(kRectangleArg)};
    WeightStream<decltype(weights)> stream{weights,     cb_weights, near.k_push,
                                           near.pushes, tile_bytes, get_write_ptr(cb_weights)};
    if (args.is_batched != 0) {
        const BatchList list = batch_list(ids, args);
        feed(list, list.num_tile_rows(), args, near, source, stream);
        return;
    }
    const auto list = block_list(ids, experts, args);
    feed(list, listed_tile_rows(list, end), args, near, source, stream);
}
