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

// Runs and units of a list.
struct RunCount {
    uint32_t runs = 0;
    uint32_t units = 0;
};

// Divides a run into units of some columns each.
struct RunUnits {
    uint32_t n_tiles;
    uint32_t strip;
    uint32_t sums;

    uint32_t columns(uint32_t height) const { return columns_of_unit(strip, sums, height); }
    uint32_t number(const Run& run) const { return div_up(n_tiles, columns(run.height)); }

    template <class List>
    RunCount count(const List& list, uint32_t tile_rows, uint32_t most_height) const {
        RunWalk<List> walk{list, tile_rows, most_height};
        RunCount count;
        for (Run run = walk.step(); run.height != 0; run = walk.step()) {
            count.runs += 1;
            count.units += number(run);
        }
        return count;
    }

    // Tiles that a core reads for each K tile, about. The rows of its first run count four times: no
    // product can start before they are tilized. A core has parts of two runs more often than one.
    uint32_t reads_of_core(const RunCount& count, uint32_t tile_rows, uint32_t num_cores) const {
        constexpr uint32_t kFirstRun = 3;
        const uint32_t units = div_up(count.units, num_cores);
        const uint32_t runs = smaller(units, div_up(units * count.runs, count.units) + 1);
        return (kFirstRun + runs) * div_up(tile_rows, count.runs) +
               div_up(units * count.runs * n_tiles, count.units);
    }
};

// How the tile rows of a list are shared.
struct RunPlan {
    uint32_t most_height;
    uint32_t num_units;

    // Runs of at most run_height tile rows, or of a half, a quarter, … of it if a core then reads
    // less: with few products for each core it would bring the rows of a high run for few columns.
    template <class List>
    static RunPlan of(const List& list, const RunUnits& units, uint32_t tile_rows,
                      const ReaderArgs& args, uint32_t num_cores) {
        RunPlan best{args.run_height, 0};
        uint32_t least = 0xFFFFFFFF;
        for (uint32_t height = args.run_height;; height = div_up(height, 2)) {
            const RunCount count = units.count(list, tile_rows, height);
            if (args.chooses_height == 0 || count.units == 0) {
                return {height, count.units};
            }
            const uint32_t reads = units.reads_of_core(count, tile_rows, num_cores);
            if (reads <= least) {
                least = reads;
                best = {height, count.units};
            }
            if (height == 1) {
                return best;
            }
        }
    }
};

}  // namespace
