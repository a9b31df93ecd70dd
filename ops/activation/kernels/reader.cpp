// SPDX-License-Identifier: Apache-2.0
// Tells compute how many of this core's units have rows, and pushes their gates and ups.
#include "units.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::activation;

constexpr uint32_t cb_gate = index_of(Cb::Gate);
constexpr uint32_t cb_up = index_of(Cb::Up);
constexpr uint32_t cb_units = index_of(Cb::Units);
constexpr uint32_t cb_counts = index_of(Cb::ReaderCounts);
constexpr uint32_t cb_row = index_of(Cb::WholeRow);

void copy_half(const tt_l1_ptr uint16_t* from, tt_l1_ptr uint16_t* to, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        to[i] = from[i];
    }
}

// Parts gates from ups that follow each other in pairs: a word has the gate in its lower half. A
// step with 128 rows of 2880 columns takes 54 k cycles so, and took 161 k with copies by element.
void part_pairs(uint32_t row_l1, uint32_t gate_l1, uint32_t up_l1, uint32_t count) {
    constexpr uint32_t kLow = 0xFFFF;
    const auto* pairs = reinterpret_cast<const tt_l1_ptr uint32_t*>(row_l1);
    auto* gates = reinterpret_cast<tt_l1_ptr uint32_t*>(gate_l1);
    auto* ups = reinterpret_cast<tt_l1_ptr uint32_t*>(up_l1);
    // Eight elements a round in registers: loads and stores of words instead of halves.
    for (uint32_t left = count / 4; left != 0; --left) {
        const uint32_t a = pairs[0];
        const uint32_t b = pairs[1];
        const uint32_t c = pairs[2];
        const uint32_t d = pairs[3];
        gates[0] = (a & kLow) | b << 16;
        ups[0] = a >> 16 | (b & ~kLow);
        gates[1] = (c & kLow) | d << 16;
        ups[1] = c >> 16 | (d & ~kLow);
        pairs += 4;
        gates += 2;
        ups += 2;
    }
    for (uint32_t i = 0; i < count % 4; ++i) {
        reinterpret_cast<tt_l1_ptr uint16_t*>(gates)[i] = static_cast<uint16_t>(pairs[i] & kLow);
        reinterpret_cast<tt_l1_ptr uint16_t*>(ups)[i] = static_cast<uint16_t>(pairs[i] >> 16);
    }
}

// Parts a row that was read as a whole.
void part_row(Halves halves, uint32_t row_l1, uint32_t gate_l1, uint32_t up_l1, uint32_t count) {
    if (halves == Halves::Interleaved) {
        return part_pairs(row_l1, gate_l1, up_l1, count);
    }
    const auto* row = reinterpret_cast<const tt_l1_ptr uint16_t*>(row_l1);
    const uint32_t gate = halves == Halves::SecondApart ? count : 0;
    // Element by element: a half may begin in the middle of a word.
    copy_half(row + gate, reinterpret_cast<tt_l1_ptr uint16_t*>(gate_l1), count);
    copy_half(row + count - gate, reinterpret_cast<tt_l1_ptr uint16_t*>(up_l1), count);
}

template <class Accessor>
void read_row(const Accessor& input, const Units& units, Halves halves, uint32_t row,
              uint32_t gate_l1, uint32_t up_l1) {
    // Aligned halves are read to their places directly.
    if (halves <= Halves::Second) {
        const uint32_t second = units.row_bytes;
        noc_async_read(input.get_noc_addr(row, halves == Halves::Second ? second : 0), gate_l1,
                       units.row_bytes);
        if (halves != Halves::None) {
            noc_async_read(input.get_noc_addr(row, halves == Halves::Second ? 0 : second), up_l1,
                           units.row_bytes);
        }
        return;
    }
    noc_async_read(input.get_noc_addr(row), get_write_ptr(cb_row), 2 * units.row_bytes);
    // The row's one buffer is parted before the next row overwrites it.
    noc_async_read_barrier();
    part_row(halves, get_write_ptr(cb_row), gate_l1, up_l1, units.row_bytes / 2);
}

// Tells compute how many units have rows.
void announce_units(const Units& units, const UnitRange& range) {
    // Counted before the first read: compute starts on the first unit.
    uint32_t num_full = 0;
    for (uint32_t i = 0; i < range.num_units; ++i) {
        const uint32_t unit = range.first_unit + i * range.step;
        num_full += units.has_rows(unit) ? 1 : 0;
    }
    cb_reserve_back(cb_units, 1);
    words_at(get_write_ptr(cb_units))[0] = num_full;
    cb_push_back(cb_units, 1);
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const auto halves = static_cast<Halves>(ReaderArgs::read().halves);
    const auto input =
        TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address(UnitRange::kCount));
    const auto counts =
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(UnitRange::kCount));
    const Units units = units_with(counts, cb_counts, range);

    announce_units(units, range);
    for (uint32_t i = 0; i < range.num_units; ++i) {
        const uint32_t unit = range.first_unit + i * range.step;
        // All three kernels skip units without counted rows.
        if (!units.has_rows(unit)) {
            continue;
        }
        cb_reserve_back(cb_gate, units.unit_tiles);
        if (halves != Halves::None) {
            cb_reserve_back(cb_up, units.unit_tiles);
        }
        for (uint32_t place = 0; place < units.unit_rows; ++place) {
            const uint32_t row = unit * units.unit_rows + place;
            // Rows that are not counted keep the buffer's old contents; their results are not
            // stored.
            if (units.counted.is_counted(row)) {
                read_row(input, units, halves, row,
                         get_write_ptr(cb_gate) + place * units.row_stride,
                         get_write_ptr(cb_up) + place * units.row_stride);
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_gate, units.unit_tiles);
        if (halves != Halves::None) {
            cb_push_back(cb_up, units.unit_tiles);
        }
    }
}
