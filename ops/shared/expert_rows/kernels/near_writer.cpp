// SPDX-License-Identifier: Apache-2.0
// Sends this core's sums of each column to the member of its team that finishes the column, and
// stores the columns that this core finishes. A round is stored when the next one has been sent,
// so that no core waits for the slowest one of its team in each round.
#include "near_args.hpp"
#include "row_scales.hpp"
#include "table_words.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_gathered = index_of(Cb::Gathered);
constexpr uint32_t cb_zeros = index_of(Cb::WriterZeros);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t kTileRowBytes = 64;  // of bfloat16
constexpr uint32_t kFloatTileBytes = 4096;

constexpr uint32_t kShareArg = NearWriterTensors::Addresses::kCount;
constexpr uint32_t kSemaphoreArg = kShareArg + NearShare::kCount;
constexpr uint32_t kPlacesArg = kSemaphoreArg + NearSemaphores::kCount;

// The members of this core's team, and the rounds that they are in.
struct Team {
    uint32_t banks;
    NearShare share;
    uint32_t sums;  // L1 address of the slots of rounds

    uint32_t rounds() const { return rounds_of(share.num_columns, banks); }
    uint32_t width(uint32_t round) const { return width_of_round(share.num_columns, banks, round); }
    // Rounds of a unit in which a member finishes a column.
    uint32_t num_owned(uint32_t member) const {
        return rounds() - (member < width(rounds() - 1) ? 0 : 1);
    }
    uint64_t on_member(uint32_t member, uint32_t l1_addr) const {
        const auto place =
            NearPlace::read(kPlacesArg + (share.number - share.bank + member) * NearPlace::kCount);
        return get_noc_addr(place.x, place.y, l1_addr);
    }
    static uint32_t semaphore_of(uint32_t first, uint32_t number) {
        return get_semaphore(get_arg_val<uint32_t>(kSemaphoreArg + first + number % kNearRounds));
    }
    // `number` counts the rounds of all units.
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
    void send(uint32_t unit, uint32_t round) const {
        const uint32_t number = unit * rounds() + round;
        if (number >= kNearRounds) {
            wait(NearSemaphores::finished_0_place, number - kNearRounds);
        }
        for (uint32_t owner = 0; owner < width(round); ++owner) {
            const uint32_t slot = (unit * num_owned(owner) + round) % kNearRounds;
            cb_wait_front(cb_partial, 1);
            noc_async_write(get_read_ptr(cb_partial),
                            on_member(owner, sums + (slot * banks + share.bank) * kFloatTileBytes),
                            kFloatTileBytes);
            noc_async_writes_flushed();
            cb_pop_front(cb_partial, 1);
        }
        // Sums must have arrived before the count.
        noc_async_write_barrier();
        signal(NearSemaphores::sent_0_place, number);
    }
};

// Stores the rows of this core's column of a round.
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

template <class Accessor>
void finish(const Accessor& output, const Team& team, const TileRow& row, uint32_t unit,
            uint32_t round, uint32_t row_bytes) {
    const uint32_t number = unit * team.rounds() + round;
    const NearShare& share = team.share;
    if (share.bank < team.width(round)) {
        cb_reserve_back(cb_gathered, team.banks);
        team.wait(NearSemaphores::sent_0_place, number);
        cb_push_back(cb_gathered, team.banks);
        store(output, row, share.first_column + round * team.banks + share.bank, row_bytes);
    }
    team.signal(NearSemaphores::finished_0_place, number);
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

template <class List, class Output, class Factors>
void store_units(const List& list, uint32_t tile_rows, const Team& team, const Output& output,
                 const Factors& factors, uint32_t row_bytes) {
    TileRow rows[2];  // of this unit and of the one before
    uint32_t unit = 0;
    for (uint32_t tile_row = 0; tile_row < tile_rows; ++tile_row) {
        TileRow& row = rows[unit % 2];
        list.find(tile_row, row);
        if (!row.has_rows) {
            continue;
        }
        if (row.expert == kNobody) {
            if (list.writes_zeros()) {
                store_zeros(output, team, row, tile_row, row_bytes);
            }
            continue;
        }
        if (factors.are_there()) {
            push_scales(factors, row);
        }
        for (uint32_t round = 0; round < team.rounds(); ++round) {
            team.send(unit, round);
            if (round != 0) {
                finish(output, team, row, unit, round - 1, row_bytes);
            } else if (unit != 0) {
                finish(output, team, rows[(unit - 1) % 2], unit - 1, team.rounds() - 1, row_bytes);
            }
        }
        unit += 1;
    }
    if (unit != 0) {
        finish(output, team, rows[(unit - 1) % 2], unit - 1, team.rounds() - 1, row_bytes);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

}  // namespace

void kernel_main() {
    const auto args = ReaderArgs::read();
    const Team team{NearArgs::read().banks, NearShare::read(kShareArg), get_write_ptr(cb_gathered)};
    const TensorAccessor ids(NearWriterTensors::ids(), NearWriterTensors::ids_address());
    const TensorAccessor experts(NearWriterTensors::experts(),
                                 NearWriterTensors::experts_address());
    const TensorAccessor end(NearWriterTensors::num_listed(),
                             NearWriterTensors::num_listed_address());
    const TensorAccessor topk_weights(NearWriterTensors::topk_weights(),
                                      NearWriterTensors::topk_weights_address());
    const TensorAccessor output(NearWriterTensors::output(), NearWriterTensors::output_address());
    // Rows and matrices have no scales of their own in this schedule.
    const Scales<decltype(topk_weights), decltype(topk_weights), decltype(topk_weights)> factors{
        topk_weights, args.scales_top_k, topk_weights, topk_weights, false, 0, RowForm::None,
        false};
    const uint32_t row_bytes = 2 * args.columns;
    if (args.is_batched != 0) {
        const BatchList list = batch_list<Cb::WriterTables>(ids, args);
        store_units(list, list.num_tile_rows(), team, output, factors, row_bytes);
        return;
    }
    fill_words(words_at(get_write_ptr(cb_zeros)), team.share.num_columns * kTileRowBytes / 4, 0);
    const auto list = block_list<Cb::WriterTables>(ids, experts, args);
    store_units(list, listed_tile_rows<Cb::WriterTables>(list, end), team, output, factors,
                row_bytes);
}
