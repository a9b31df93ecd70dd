// SPDX-License-Identifier: Apache-2.0
// Brings rows and stores results. In turn, some cores read the parts of a row of tiles and send
// them to all cores while the row before is multiplied. Sums of a column go to the member of the
// team that finishes it. A unit is stored when the next one's sums have been sent, so that no core
// waits for the slowest one of its team.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/valid_tiles/kernels/zero_rows.hpp"
#include "near_args.hpp"

namespace {

using namespace tessera::ops::moe_bmm;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t cb_rows = index_of(Cb::Input);
constexpr uint32_t cb_sums = index_of(NearCb::Sums);
constexpr uint32_t cb_gathered = index_of(NearCb::Gathered);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

constexpr uint32_t kShareArg = NearWriterTensors::Addresses::kCount;
constexpr uint32_t kSemaphoreArg = kShareArg + NearShare::kCount;
constexpr uint32_t kRectangleArg = kSemaphoreArg + NearSemaphores::kCount;
constexpr uint32_t kPlacesArg = kRectangleArg + NearRectangle::kCount;

struct Args : TileArgs, InnerArgs, NearArgs {
    NearShare share;

    uint32_t place_of_core(uint32_t number) const {
        return kPlacesArg + (members + number) * NearPlace::kCount;
    }
};

uint32_t semaphore_address(uint32_t place) {
    return get_semaphore(get_arg_val<uint32_t>(kSemaphoreArg + place));
}

volatile tt_l1_ptr uint32_t* semaphore(uint32_t place) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore_address(place));
}

uint64_t on_core(uint32_t place_arg, uint32_t l1_addr) {
    const auto place = NearPlace::read(place_arg);
    return get_noc_addr(place.x, place.y, l1_addr);
}

// A row of tiles with tokens.
struct Unit {
    uint32_t expert = 0;
    uint32_t row = 0;  // of the expert
};

// Steps to the next unit; false after the last one.
bool next_unit(const TokenCounts& counts, Unit& unit) {
    while (unit.expert < counts.num_experts && unit.row >= counts.tile_rows(unit.expert)) {
        unit = {unit.expert + 1, 0};
    }
    return unit.expert < counts.num_experts;
}

// The rows of one unit after another, for all cores.
template <class Accessor>
struct RowSource {
    const Accessor& rows;
    const Args& args;
    NearRectangle rectangle;
    uint32_t tile_size;
    uint32_t turns = 0;  // units that this core has sent parts of

    // Reads part `part` of the row and sends it when every core has room for it.
    void send(const Unit& unit, uint32_t number, uint32_t part) {
        const uint32_t first = args.k_tiles * part / args.row_parts;
        const uint32_t end = args.k_tiles * (part + 1) / args.row_parts;
        const uint32_t first_tile = (unit.expert * args.token_tiles + unit.row) * args.k_tiles;
        const uint32_t l1_addr = get_write_ptr(cb_rows);
        for (uint32_t k = first; k < end; ++k) {
            noc_async_read_page(first_tile + k, rows, l1_addr + k * tile_size);
        }
        turns += 1;
        noc_semaphore_wait_min(semaphore(NearSemaphores::rows_free_place), turns * args.num_cores);
        noc_async_read_barrier();
        const uint64_t all = get_noc_multicast_addr(rectangle.start_x, rectangle.start_y,
                                                    rectangle.end_x, rectangle.end_y, 0);
        const uint32_t place = l1_addr + first * tile_size;
        noc_async_write_multicast(place, all | place, (end - first) * tile_size,
                                  rectangle.num_receivers);
        // The number must not overtake the rows.
        noc_async_write_barrier();
        const uint32_t arrived = semaphore_address(NearSemaphores::arrived_0_place + part);
        noc_semaphore_set(semaphore(NearSemaphores::arrived_0_place + part), number + 1);
        noc_semaphore_set_multicast(arrived, all | arrived, rectangle.num_receivers);
    }
    // This core has room for the rows of a unit; if it is its turn, it sends a part to all.
    void bring(const Unit& unit, uint32_t number) {
        cb_reserve_back(cb_rows, args.k_tiles);
        uint32_t mine = args.row_parts;
        for (uint32_t part = 0; part < args.row_parts; ++part) {
            const uint32_t source = (number * args.row_parts + part) % args.num_cores;
            noc_semaphore_inc(on_core(args.place_of_core(source),
                                      semaphore_address(NearSemaphores::rows_free_place)),
                              1);
            mine = source == args.share.number ? part : mine;
        }
        if (mine != args.row_parts) {
            send(unit, number, mine);
        }
    }
    void receive(uint32_t number) const {
        for (uint32_t part = 0; part < args.row_parts; ++part) {
            noc_semaphore_wait_min(semaphore(NearSemaphores::arrived_0_place + part), number + 1);
        }
        cb_push_back(cb_rows, args.k_tiles);
    }
};

// The members of this core's team, and the units whose sums they exchange.
struct Team {
    const Args& args;
    uint32_t sums;  // L1 address of the slots
    uint32_t sum_size;

    uint32_t most_finished_here() const { return most_finished(args.columns, args.members); }
    void signal(uint32_t first_place, uint32_t number) const {
        const uint32_t address = semaphore_address(first_place + number % kSumSlots);
        for (uint32_t member = 0; member < args.members; ++member) {
            noc_semaphore_inc(on_core(kPlacesArg + member * NearPlace::kCount, address), 1);
        }
    }
    // Waits until all members have signalled the unit, and each earlier one in the same slot.
    void wait(uint32_t first_place, uint32_t number) const {
        noc_semaphore_wait_min(semaphore(first_place + number % kSumSlots),
                               (number / kSumSlots + 1) * args.members);
    }
    void send(uint32_t number) const {
        if (number >= kSumSlots) {
            wait(NearSemaphores::finished_0_place, number - kSumSlots);
        }
        const uint32_t slot = number % kSumSlots * most_finished_here();
        for (uint32_t column = 0; column < args.share.num_columns; ++column) {
            const uint32_t owner = (column + number) % args.members;
            const uint32_t place =
                (slot + column / args.members) * args.members + args.share.member;
            cb_wait_front(cb_sums, 1);
            noc_async_write(
                get_read_ptr(cb_sums),
                on_core(kPlacesArg + owner * NearPlace::kCount, sums + place * sum_size), sum_size);
            noc_async_writes_flushed();
            cb_pop_front(cb_sums, 1);
        }
        // Sums must have arrived before the count.
        noc_async_write_barrier();
        signal(NearSemaphores::sent_0_place, number);
    }
    void gather(uint32_t number) const {
        const uint32_t pages = most_finished_here() * args.members;
        cb_reserve_back(cb_gathered, pages);
        wait(NearSemaphores::sent_0_place, number);
        cb_push_back(cb_gathered, pages);
    }
};

// Stores columns first, first + step, … of a unit. Rows after the last token are cleared.
template <class Accessor>
void store(const Accessor& output, const Args& args, const TokenCounts& counts, const Unit& unit,
           uint32_t first, uint32_t step) {
    const uint32_t tokens = counts.of(unit.expert) - unit.row * tile_height;
    const uint32_t row_tile = (unit.expert * args.token_tiles + unit.row) * args.column_tiles;
    for (uint32_t column = first; column < args.share.num_columns; column += step) {
        cb_wait_front(cb_out, 1);
        if (tokens < tile_height) {
            clear_rows_behind(get_read_ptr(cb_out), tokens);
        }
        noc_async_write_page(row_tile + args.share.first_column + column * args.column_step, output,
                             get_read_ptr(cb_out));
        noc_async_writes_flushed();
        cb_pop_front(cb_out, 1);
    }
}

template <class Accessor>
void finish(const Accessor& output, const Team& team, const TokenCounts& counts, const Unit& unit,
            uint32_t number) {
    const Args& args = team.args;
    team.gather(number);
    store(output, args, counts, unit, first_finished(number, args.share.member, args.members),
          args.members);
    team.signal(NearSemaphores::finished_0_place, number);
}

// Brings the rows of each unit during the products of the one before.
template <class Source, class Accessor>
void store_units(Source& source, const Team& team, const Accessor& output,
                 const TokenCounts& counts) {
    const Args& args = team.args;
    Unit before;
    Unit unit;
    uint32_t number = 0;
    for (bool has_unit = next_unit(counts, unit); has_unit; ++number) {
        Unit next{unit.expert, unit.row + 1};
        has_unit = next_unit(counts, next);
        if (has_unit) {
            source.bring(next, number + 1);
            source.receive(number + 1);
        }
        if (args.members == 1) {
            store(output, args, counts, unit, 0, 1);
        } else {
            team.send(number);
            if (number != 0) {
                finish(output, team, counts, before, number - 1);
            }
        }
        before = unit;
        unit = next;
    }
    if (args.members != 1 && number != 0) {
        finish(output, team, counts, before, number - 1);
    }
}

}  // namespace

void kernel_main() {
    const Args args{TileArgs::read(), InnerArgs::read(), NearArgs::read(),
                    NearShare::read(kShareArg)};
    const auto tile_size = static_cast<uint32_t>(get_tile_size(cb_out));
    const auto rows =
        TensorAccessor(NearWriterTensors::rows(), NearWriterTensors::rows_address(), tile_size);
    const auto output =
        TensorAccessor(NearWriterTensors::output(), NearWriterTensors::output_address(), tile_size);
    const TokenCounts counts =
        read_counts(TensorAccessor(NearWriterTensors::counts(), NearWriterTensors::counts_address(),
                                   sizeof(uint32_t)),
                    Cb::WriterCounts, CountArgs::read().counts_stride, args.num_experts);
    RowSource<decltype(rows)> source{rows, args, NearRectangle::read(kRectangleArg), tile_size};
    const Team team{args, get_write_ptr(cb_gathered),
                    static_cast<uint32_t>(get_tile_size(cb_gathered))};
    Unit first;
    if (next_unit(counts, first)) {
        source.bring(first, 0);
        source.receive(0);
    }
    store_units(source, team, output, counts);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
