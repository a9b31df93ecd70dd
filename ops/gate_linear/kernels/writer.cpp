// SPDX-License-Identifier: Apache-2.0
// Stores 32 rows of 32 logits of each unit, without those after the last token and expert.
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::gate_linear;

constexpr uint32_t kCbOut = index_of(Cb::Output);
constexpr uint32_t kTileRows = 32;

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const uint32_t logits_address = WriterTensors::Addresses::read(UnitRange::kCount).logits;
    const auto args = WriterArgs::read();
    const TensorAccessor logits(WriterTensors::logits(), logits_address);

    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        const uint32_t first_token = unit / args.expert_tiles * kTileRows;
        const uint32_t first_expert = unit % args.expert_tiles * kTileRows;
        const uint32_t tokens = args.num_tokens - first_token;
        const uint32_t experts = args.num_experts - first_expert;
        // Page and L1 rows have the same alignment, because a unit starts at a multiple of 32
        // logits of 4 bytes.
        const uint32_t bytes = (experts < kTileRows ? experts : kTileRows) * sizeof(uint32_t);
        cb_wait_front(kCbOut, 1);
        const uint32_t l1_addr = get_read_ptr(kCbOut);
        for (uint32_t row = 0; row < (tokens < kTileRows ? tokens : kTileRows); ++row) {
            noc_async_write(l1_addr + row * kTileRows * sizeof(uint32_t),
                            logits.get_noc_addr(first_token + row, first_expert * sizeof(uint32_t)),
                            bytes);
        }
        // Flushed data has left L1, so that compute may pack into the page again. Arrival is
        // awaited once, at the end.
        noc_async_writes_flushed();
        cb_pop_front(kCbOut, 1);
    }
    noc_async_write_barrier();
}
