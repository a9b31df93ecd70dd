// SPDX-License-Identifier: Apache-2.0
// Sorts columns of a row with a radix of 8 bits, in memory of one of a core's processors.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "entries.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::top_k;

// Reads and writes of DRAM are aligned in pieces of as many words.
constexpr uint32_t kAligned = 16;

uint32_t own_l1(Cb cb) {
    return get_write_ptr(index_of(cb) + SelectArgs::read().first_cb);
}

// Columns or results of one processor.
struct Part {
    uint32_t first;
    uint32_t count;

    // Part `number` of `parts` equal ones of the first `count` words.
    static Part of(uint32_t count, uint32_t parts, uint32_t number) {
        const uint32_t each = div_up(div_up(count, parts), kAligned) * kAligned;
        const uint32_t first = smaller(number * each, count);
        return {first, smaller(each, count - first)};
    }
};

template <class Accessor>
Words read_columns(const Accessor& scores, uint32_t row, Part columns) {
    if (columns.count > 0) {
        noc_async_read(scores.get_noc_addr(row, columns.first * sizeof(uint32_t)),
                       own_l1(Cb::Scores), columns.count * sizeof(uint32_t));
        noc_async_read_barrier();
    }
    return reinterpret_cast<Words>(own_l1(Cb::Scores));
}

void gather_all(const Words words, Part columns) {
    const auto entries = reinterpret_cast<Entries>(own_l1(Cb::Chosen));
    for (uint32_t i = 0; i < columns.count; ++i) {
        entries[i] = {order_of(words[i]), columns.first + i};
    }
}

// Sorts the first entries of this processor.
Entries sort_entries(uint32_t count) {
    const auto histogram = reinterpret_cast<Words>(own_l1(Cb::Histogram));
    const auto entries = reinterpret_cast<Entries>(own_l1(Cb::Chosen));
    const auto sorted = reinterpret_cast<Entries>(own_l1(Cb::Sorted));
    // Four digits of 8 bits: with few elements a histogram of 11 bits costs more than it saves.
    constexpr uint32_t kBits = 8;
    for (uint32_t shift = 0; shift < 32; shift += 2 * kBits) {
        sort_by_digit(entries, sorted, count, shift, kBits, histogram);
        sort_by_digit(sorted, entries, count, shift + kBits, kBits, histogram);
    }
    return entries;
}

// Columns of a row up to its position.
template <class Positions>
uint32_t visible_columns(const SelectArgs& args, Positions& positions, uint32_t row) {
    if (args.list_width == 0) {
        return args.columns;
    }
    const auto last = static_cast<int32_t>(positions.at(row));
    return last < 0 ? 0 : smaller(static_cast<uint32_t>(last) + 1, args.columns);
}

}  // namespace
