// SPDX-License-Identifier: Apache-2.0
// Units of a product whose tile rows share reads of weights.
//
// A run is some adjacent tile rows of one expert; a unit is a run times as many columns as DST has
// room for. Each tile of weights is then read once for the run. On a Wormhole (2026-11-28), products
// of 512 rows with 1536 x 2048 weights of each of 16 experts take 4.4 M cycles; with reads for every
// tile row they take 13.7 M, in which links of the NoC are busy.
#pragma once

#include "tile_rows.hpp"

namespace {

struct Run {
    uint32_t expert = 0;
    uint32_t first = 0;   // tile row
    uint32_t height = 0;  // tile rows; 0: the end
};

// Goes through the runs of a list. Runs of an expert have about the same height.
template <class List>
struct RunWalk {
    const List& list;
    uint32_t end;          // of the tile rows
    uint32_t most_height;  // of a run
    uint32_t first = 0;    // of the expert's tile rows
    uint32_t length = 0;   // tile rows of the expert
    uint32_t number = 0;   // of the next run of the expert
    uint32_t runs = 0;     // of the expert
    uint32_t expert = 0;

    Run step() {
        if (number == runs) {
            first += length;
            if (first == end) {
                return {};
            }
            const Segment segment = list.segment(first, end);
            expert = segment.expert;
            length = segment.length;
            runs = div_up(length, most_height);
            number = 0;
        }
        const uint32_t start = length * number / runs;
        number += 1;
        return {expert, first + start, length * number / runs - start};
    }
};

// Units of a run, of which each has some columns.
struct RunUnits {
    uint32_t n_tiles;
    uint32_t strip;
    uint32_t sums;

    uint32_t columns(uint32_t height) const { return columns_of_unit(strip, sums, height); }
    uint32_t number(const Run& run) const { return div_up(n_tiles, columns(run.height)); }

    template <class List>
    uint32_t number_of_all(const List& list, uint32_t tile_rows, uint32_t most_height) const {
        RunWalk<List> walk{list, tile_rows, most_height};
        uint32_t units = 0;
        for (Run run = walk.step(); run.height != 0; run = walk.step()) {
            units += number(run);
        }
        return units;
    }
};

}  // namespace
