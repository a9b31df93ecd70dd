// SPDX-License-Identifier: Apache-2.0
// Elements with their columns, and how they are sorted.
#pragma once

#include "dataflow_api.h"

namespace {

using Words = tt_l1_ptr uint32_t*;

// The order of −inf, which marks a masked column. No result names it.
constexpr uint32_t kMasked = 0;
constexpr uint32_t kNoColumn = 0xFFFFFFFF;

// The order of infinities and NaN: all exponent bits are set. NaN is less than every number.
uint32_t order_of_special(uint32_t bits) {
    if (bits == 0xFF800000) {
        return kMasked;
    }
    return bits == 0x7F800000 ? 0xFF800000 : 1;
}

// An unsigned number that is the greater the greater the float is. Both zeros are one.
uint32_t order_of(uint32_t bits) {
    // One test for all that is rare, so that a finite number costs no more.
    if ((bits & 0x7FFFFFFF) >= 0x7F800000) {
        return order_of_special(bits);
    }
    if (bits == 0x80000000) {
        bits = 0;
    }
    // Negative floats descend as integers; the complement turns them round.
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000;
}

struct Entry {
    uint32_t order;
    uint32_t column;
};
using Entries = tt_l1_ptr Entry*;

uint32_t result_of(const Entry& entry) {
    return entry.order == kMasked ? kNoColumn : entry.column;
}

// Makes one pass of a stable sort, greater digits first.
void sort_by_digit(const Entries from, Entries to, uint32_t count, uint32_t shift, uint32_t bits,
                   Words histogram) {
    const uint32_t size = 1U << bits;
    for (uint32_t digit = 0; digit < size; ++digit) {
        histogram[digit] = 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        histogram[from[i].order >> shift & (size - 1)] += 1;
    }
    // Places descend with the digit, so that the largest come first.
    uint32_t place = 0;
    for (uint32_t digit = size; digit-- > 0;) {
        const uint32_t number = histogram[digit];
        histogram[digit] = place;
        place += number;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t& next = histogram[from[i].order >> shift & (size - 1)];
        to[next] = from[i];
        next += 1;
    }
}

}  // namespace
