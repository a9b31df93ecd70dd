// SPDX-License-Identifier: Apache-2.0
// Reads pages of an interleaved buffer into a CB, one page per barrier. Pages form runs; `skipped`
// pages after each run are not read. After all pages the core stores `filler_words` zeros, the
// padding of an output.
#include "args.hpp"

using namespace tessera::score;

void kernel_main() {
    const auto args = TileReadArgs::read();
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    constexpr uint32_t cb_filler = tt::CBIndex::c_1;
    const auto pages = TensorAccessor(TileReadTensors::pages(), TileReadTensors::pages_address());
    auto range = TileReadRange::read(TileReadTensors::Addresses::kCount);

    for (uint32_t i = 0; i < range.count; ++i) {
        cb_reserve_back(cb_tiles, 1);
        noc_async_read_page(range.page, pages, get_write_ptr(cb_tiles));
        noc_async_read_barrier();
        cb_push_back(cb_tiles, 1);
        ++range.page;
        if (++range.place == args.run) {
            range.place = 0;
            range.page += args.skipped;
        }
    }
    if (args.filler_words == 0) {
        return;
    }
    cb_reserve_back(cb_filler, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_filler));
    for (uint32_t i = 0; i < args.filler_words; ++i) {
        words[i] = 0;
    }
    cb_push_back(cb_filler, 1);
}
