// SPDX-License-Identifier: Apache-2.0
// The units of a product whose readers are next to their DRAM bank, out of a list of tile rows.
#pragma once

#include "near_args.hpp"
#include "tile_rows.hpp"

namespace {

// Adjacent tile rows of one expert, which share its weights.
struct Unit {
    uint32_t expert = 0;
    uint32_t first = 0;   // tile row
    uint32_t height = 0;  // tile rows; 0: no unit
};

// Tile rows of a list; the last `places` of them are not looked up again.
template <class List, uint32_t places>
struct FoundRows {
    const List& list;
    TileRow rows[places];
    uint32_t numbers[places];

    explicit FoundRows(const List& of_list) : list(of_list) {
        for (uint32_t& number : numbers) {
            number = kNobody;
        }
    }
    const TileRow& at(uint32_t tile_row) {
        const uint32_t place = tile_row % places;
        if (numbers[place] != tile_row) {
            list.find(tile_row, rows[place]);
            numbers[place] = tile_row;
        }
        return rows[place];
    }
};

// Goes through the units of a list.
struct UnitWalk {
    uint32_t end;          // of the tile rows
    uint32_t most_height;  // tile rows of a unit
    uint32_t next = 0;

    // Returns the next unit. Calls `skip` for each tile row before it that has no product.
    template <class Rows, class Skip>
    Unit step(Rows& found, const Skip& skip) {
        Unit unit;
        for (; next < end && unit.height < most_height; ++next) {
            const TileRow& row = found.at(next);
            const bool has_product = row.has_rows && row.expert != kNobody;
            if (unit.height != 0 && (!has_product || row.expert != unit.expert)) {
                break;
            }
            if (!has_product) {
                skip(row, next);
                continue;
            }
            unit = {row.expert, next - unit.height, unit.height + 1};
        }
        return unit;
    }
};

}  // namespace
