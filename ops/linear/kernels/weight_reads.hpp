// SPDX-License-Identifier: Apache-2.0
// Reads of a push of weights: some tiles along K of the columns of a strip.
#pragma once

#include "../../shared/kernels/asked_reads.hpp"
#include "args.hpp"

namespace {

// Reads the tiles of `banks`. Along K, where tiles follow each other in memory, their banks are in
// turn.
template <class Accessor>
void read_push(const Accessor& weights, const tessera::ops::linear::LinearArgs& args,
               const asked_reads::Banks& banks, uint32_t columns, const asked_reads::Push& push) {
    const uint32_t bytes = get_tile_size(tessera::ops::index_of(tessera::ops::linear::Cb::Weights));
    uint32_t tile = push.first_page;
    uint32_t first_bank = tile % banks.count;
    for (uint32_t c = 0; c < columns; ++c) {
        uint32_t bank = first_bank;
        uint32_t l1_addr = push.l1_addr + c * bytes;
        for (uint32_t i = 0; i < push.count; ++i) {
            if (banks.has(bank)) {
                noc_async_read_page(tile + i, weights, l1_addr);
            }
            bank = banks.wrapped(bank + 1);
            l1_addr += args.strip * bytes;
        }
        tile += args.k_tiles;
        first_bank = banks.wrapped(first_bank + banks.row_step);
    }
}

}  // namespace
