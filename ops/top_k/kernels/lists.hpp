// SPDX-License-Identifier: Apache-2.0
// Merges sorted lists of a row's elements. Each processor makes a part of the result.
#pragma once

#include "args.hpp"
#include "entries.hpp"

namespace {

constexpr uint32_t kMostSharers = 32;

// Lists in the order of their columns: list i has columns before those of list i + 1.
struct Lists {
    uint32_t number;
    uint32_t entries;  // that a list may have
    uint32_t l1_addr;
    uint32_t lengths_l1;

    Entries list(uint32_t i) const {
        return reinterpret_cast<Entries>(l1_addr + i * entries * sizeof(Entry));
    }
    uint32_t length(uint32_t i) const {
        return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(
            lengths_l1 + i * tessera::ops::top_k::kLengthBytes);
    }
};

// Elements between `low` and `high` of a descending list that are at least `order`, plus `low`.
uint32_t at_least(const Entries list, uint32_t low, uint32_t high, uint32_t order) {
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (list[middle].order >= order) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Sets how many elements of each list are among the `rank` largest of all.
void find_ranks(const Lists& lists, uint32_t rank, uint32_t* from) {
    uint32_t low[kMostSharers];   // elements above the threshold, in the end
    uint32_t high[kMostSharers];  // elements at or above it
    uint32_t middle[kMostSharers];
    for (uint32_t i = 0; i < lists.number; ++i) {
        low[i] = 0;
        high[i] = rank == 0 ? 0 : lists.length(i);
    }
    // The order of element `rank`, bit by bit. Ranges of the lists shrink with each bit.
    uint32_t threshold = 0;
    for (uint32_t bit = rank == 0 ? 0 : 0x80000000; bit != 0; bit >>= 1) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < lists.number; ++i) {
            middle[i] = at_least(lists.list(i), low[i], high[i], threshold | bit);
            found += middle[i];
        }
        const bool is_set = found >= rank;
        threshold |= is_set ? bit : 0;
        for (uint32_t i = 0; i < lists.number; ++i) {
            (is_set ? high : low)[i] = middle[i];
        }
        // All elements at or above the threshold belong to the rank: lower bits change nothing.
        if (found == rank) {
            break;
        }
    }
    // Elements equal to it are taken in the order of their columns.
    for (uint32_t i = 0; i < lists.number; ++i) {
        rank -= low[i];
    }
    for (uint32_t i = 0; i < lists.number; ++i) {
        const uint32_t equal = high[i] - low[i];
        const uint32_t taken = equal < rank ? equal : rank;
        from[i] = low[i] + taken;
        rank -= taken;
    }
}

// Merges lists from given places on: a tree whose nodes hold the list with the largest head below.
class Merge {
public:
    Merge(const Lists& lists, uint32_t* from) : lists_(lists), from_(from) {
        for (uint32_t i = 0; i < lists.number; ++i) {
            load(i);
            winner_[lists.number + i] = i;
        }
        for (uint32_t node = lists.number; --node > 0;) {
            play(node);
        }
    }
    uint32_t next_column() {
        const uint32_t list = winner_[1];
        // Masked columns and the end of a list have the same order: no list has more.
        if (heads_[list] == kMasked) {
            return kNoColumn;
        }
        const uint32_t column = lists_.list(list)[from_[list]].column;
        from_[list] += 1;
        load(list);
        for (uint32_t node = (lists_.number + list) / 2; node > 0; node /= 2) {
            play(node);
        }
        return column;
    }

private:
    void load(uint32_t i) {
        heads_[i] = from_[i] < lists_.length(i) ? lists_.list(i)[from_[i]].order : kMasked;
    }
    void play(uint32_t node) {
        // With equal heads the left list wins: its columns are lower.
        const uint32_t left = winner_[2 * node];
        const uint32_t right = winner_[2 * node + 1];
        winner_[node] = heads_[right] > heads_[left] ? right : left;
    }

    const Lists& lists_;
    uint32_t* from_;
    uint32_t heads_[kMostSharers];
    uint32_t winner_[2 * kMostSharers];
};

}  // namespace
