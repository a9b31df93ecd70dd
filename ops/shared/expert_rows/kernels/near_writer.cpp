// SPDX-License-Identifier: Apache-2.0
// Brings the rows of the next unit while one is multiplied. Sends this core's sums of each column to
// the members of its team that finish them, and stores those that this core finishes. A round is
// stored when the next one has been sent, so that no core waits for the slowest one of its team in
// each round.
#include "near_rows.hpp"
#include "near_units.hpp"

namespace {

constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_gathered = index_of(Cb::Gathered);
constexpr uint32_t cb_zeros = index_of(Cb::WriterZeros);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t kFloatTileBytes = 4096;
constexpr uint32_t kRowsHeld = 4;  // tile rows: of three units of one, and the first one behind

constexpr uint32_t kShareArg = NearWriterTensors::Addresses::kCount;
constexpr uint32_t kSemaphoreArg = kShareArg + NearShare::kCount;
constexpr uint32_t kRectangleArg = kSemaphoreArg + NearSemaphores::kCount;
constexpr uint32_t kPlacesArg = kRectangleArg + NearRectangle::kCount;

// A round of a unit, and its number among those of all units.
struct Round {
    Unit unit;
    uint32_t in_unit = 0;
    uint32_t number = 0;
};

// The members of this core's team, and the rounds that they are in.
struct Team {
    uint32_t banks;
    NearShare share;
    uint32_t sums;  // L1 address of the slots of rounds

    uint32_t num_sums(const Unit& unit) const { return share.num_columns * unit.height; }
    uint32_t rounds(const Unit& unit) const { return rounds_of(num_sums(unit), banks); }
    uint32_t width(const Round& round) const {
        return width_of_round(num_sums(round.unit), banks, round.in_unit);
    }
    uint64_t on_member(uint32_t member, uint32_t l1_addr) const {
        const auto place =
            NearPlace::read(kPlacesArg + (share.number - share.bank + member) * NearPlace::kCount);
        return get_noc_addr(place.x, place.y, l1_addr);
    }
    static uint32_t semaphore_of(uint32_t first, uint32_t number) {
        return get_semaphore(get_arg_val<uint32_t>(kSemaphoreArg + first + number % kNearRounds));
    }
    void signal(uint32_t first, uint32_t number) const {
        for (uint32_t member = 0; member < banks; ++member) {
            noc_semaphore_inc(on_member(member, semaphore_of(first, number)), 1);
        }
    }
    // Waits until all members have signalled a round, and each earlier one in the same slot.
    void wait(uint32_t first, uint32_t number) const {
        noc_semaphore_wait_min(
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore_of(first, number)),
            (number / kNearRounds + 1) * banks);
    }
    // Calls `before_column` before it waits for the first sum of a column.
    template <class BeforeColumn>
    void send(const Round& round, const BeforeColumn& before_column) const {
        if (round.number >= kNearRounds) {
            wait(NearSemaphores::finished_0_place, round.number - kNearRounds);
        }
        const uint32_t slot = (round.number % kNearRounds * banks + share.bank) * kFloatTileBytes;
        for (uint32_t owner = 0; owner < width(round); ++owner) {
            const uint32_t sum = round.in_unit * banks + owner;
            if (sum % round.unit.height == 0) {
                before_column(sum / round.unit.height);
            }
            cb_wait_front(cb_partial, 1);
            noc_async_write(get_read_ptr(cb_partial), on_member(owner, sums + slot),
                            kFloatTileBytes);
            noc_async_writes_flushed();
            cb_pop_front(cb_partial, 1);
        }
        // Sums must have arrived before the count.
        noc_async_write_barrier();
        signal(NearSemaphores::sent_0_place, round.number);
    }
};

// Stores the rows of this core's tile of a round.
template <class Accessor>
void store(const Accessor& output, const TileRow& row, uint32_t column, uint32_t row_bytes) {
    const uint32_t start = column * kTileRowBytes;
    const uint32_t bytes = smaller(kTileRowBytes, row_bytes - start);
    cb_wait_front(cb_out, 1);
    for (uint32_t i = 0; i < tile_height; ++i) {
        if (row.targets[i] != kNobody) {
            noc_async_write(get_read_ptr(cb_out) + i * kTileRowBytes,
                            output.get_noc_addr(row.targets[i], start), bytes);
        }
    }
    noc_async_writes_flushed();
    cb_pop_front(cb_out, 1);
}

// Rows of no expert are zeros in the output; members take tile rows in turn.
template <class Accessor>
void store_zeros(const Accessor& output, const Team& team, const TileRow& row, uint32_t tile_row,
                 uint32_t row_bytes) {
    if (tile_row % team.banks != team.share.bank) {
        return;
    }
    const uint32_t start = team.share.first_column * kTileRowBytes;
    const uint32_t bytes = smaller(team.share.num_columns * kTileRowBytes, row_bytes - start);
    for (uint32_t i = 0; i < tile_height; ++i) {
        if (row.targets[i] != kNobody) {
            noc_async_write(get_read_ptr(cb_zeros), output.get_noc_addr(row.targets[i], start),
                            bytes);
        }
    }
}

// The tile rows of the next unit, on their way during the products of one.
template <class Rows, class Source>
struct NextRows {
    Rows& found;
    Source& source;
    Unit unit;
    uint32_t& number;  // of the tile row that is brought next
    uint32_t brought = 0;
    uint32_t received = 0;

    // Compute has room for one tile row at a time, which it tilizes before the next one comes.
    void prepare(uint32_t column) {
        const auto is_due = [&](uint32_t row) {
            return column >= column_of_row(row, unit.height, source.share.num_columns,
                                           source.near.is_ahead != 0);
        };
        for (;;) {
            if (received < brought && is_due(brought)) {
                source.receive(number);
                received += 1;
                number += 1;
            } else if (brought == received && brought < unit.height && is_due(brought)) {
                source.bring(found, unit.first + brought, number);
                brought += 1;
            } else {
                return;
            }
        }
    }
};

template <class List, class Source, class Output, class Factors>
struct Units {
    const List& list;
    FoundRows<List, kRowsHeld> found;
    UnitWalk walk;
    Source& source;
    const Team& team;
    const Output& output;
    const Factors& factors;
    uint32_t row_bytes;
    uint32_t tile_rows_brought = 0;

    Unit next_unit() {
        return walk.step(found, [&](const TileRow& row, uint32_t tile_row) {
            if (list.writes_zeros() && row.has_rows) {
                store_zeros(output, team, row, tile_row, row_bytes);
            }
        });
    }
    void push_factors(const Unit& unit) {
        if (!factors.are_there()) {
            return;
        }
        for (uint32_t row = 0; row < unit.height; ++row) {
            push_scales(factors, found.at(unit.first + row));
        }
        if (unit.height != walk.most_height) {
            cb_reserve_back(cb_scales, walk.most_height - unit.height);
            cb_push_back(cb_scales, walk.most_height - unit.height);
        }
    }
    void finish(const Round& round) {
        cb_reserve_back(cb_gathered, team.banks);
        const bool is_mine = team.share.bank < team.width(round);
        if (is_mine) {
            team.wait(NearSemaphores::sent_0_place, round.number);
        }
        cb_push_back(cb_gathered, team.banks);
        if (is_mine) {
            const uint32_t sum = round.in_unit * team.banks + team.share.bank;
            store(output, found.at(round.unit.first + sum % round.unit.height),
                  team.share.first_column + sum / round.unit.height, row_bytes);
        }
        team.signal(NearSemaphores::finished_0_place, round.number);
    }
    void store_all() {
        Round round{next_unit()};
        Unit next = round.unit;
        Round before;
        NextRows<decltype(found), Source>{found, source, next, tile_rows_brought}.prepare(
            team.share.num_columns);
        while (next.height != 0) {
            const Unit unit = next;
            next = next_unit();
            push_factors(unit);
            NextRows<decltype(found), Source> rows{found, source, next, tile_rows_brought};
            const uint32_t rounds = team.rounds(unit);
            for (uint32_t i = 0; i < rounds; ++i) {
                round = {unit, i, round.number};
                team.send(round, [&](uint32_t column) { rows.prepare(column); });
                if (round.number != 0) {
                    finish(before);
                }
                before = round;
                round.number += 1;
            }
            // Compute tilizes these when it has added the sums of the round that is finished now.
            rows.prepare(team.share.num_columns);
        }
        if (round.number != 0) {
            finish(before);
        }
        noc_async_write_barrier();
        noc_async_atomic_barrier();
    }
};

template <class List, class Source, class Output, class Factors>
void store_units(const List& list, uint32_t tile_rows, Source& source, const Team& team,
                 const Output& output, const Factors& factors, const ReaderArgs& args) {
    Units<List, Source, Output, Factors> units{list,
                                               FoundRows<List, kRowsHeld>(list),
                                               {tile_rows, source.near.tile_rows},
                                               source,
                                               team,
                                               output,
                                               factors,
                                               2 * args.columns};
    units.store_all();
}

}  // namespace

void kernel_main() {
    const auto args = ReaderArgs::read();
    const auto near = NearArgs::read();
    const Team team{near.banks, NearShare::read(kShareArg), get_write_ptr(cb_gathered)};
    const TensorAccessor ids(NearWriterTensors::ids(), NearWriterTensors::ids_address());
    const TensorAccessor experts(NearWriterTensors::experts(),
                                 NearWriterTensors::experts_address());
    const TensorAccessor end(NearWriterTensors::num_listed(),
                             NearWriterTensors::num_listed_address());
    const TensorAccessor topk_weights(NearWriterTensors::topk_weights(),
                                      NearWriterTensors::topk_weights_address());
    const TensorAccessor output(NearWriterTensors::output(), NearWriterTensors::output_address());
    const TensorAccessor rows(NearWriterTensors::rows(), NearWriterTensors::rows_address());
    RowSource<decltype(rows)> source{
        rows,          args,      near, team.share, NearRectangle::read(kRectangleArg),
        kSemaphoreArg, kPlacesArg};
    // Rows and matrices have no scales of their own in this schedule.
    const Scales<decltype(topk_weights), decltype(topk_weights), decltype(topk_weights)> factors{
        topk_weights, args.scales_top_k, topk_weights, topk_weights, false, 0, RowForm::None,
        false};
    if (args.is_batched != 0) {
        const BatchList list = batch_list<Cb::WriterTables>(ids, args);
        store_units(list, list.num_tile_rows(), source, team, output, factors, args);
        return;
    }
    fill_words(words_at(get_write_ptr(cb_zeros)), team.share.num_columns * kTileRowBytes / 4, 0);
    const auto list = block_list<Cb::WriterTables>(ids, experts, args);
    store_units(list, listed_tile_rows<Cb::WriterTables>(list, end), source, team, output, factors,
                args);
}
