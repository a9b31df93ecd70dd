// SPDX-License-Identifier: Apache-2.0
// Stores 32 rows of 32 logits of each unit, without those after the last token and expert. Members
// that share a unit send their sums to the first of them.
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::gate_linear;

constexpr uint32_t kCbPartial = index_of(Cb::Partial);
constexpr uint32_t kCbGathered = index_of(Cb::Gathered);
constexpr uint32_t kCbOut = index_of(Cb::Output);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kFloatTileBytes = 4096;
constexpr uint32_t kMemberArg = UnitRange::kCount + WriterTensors::Addresses::kCount;

// A member has one unit, so that no sum overwrites one that is not read yet.
void exchange_partials(uint32_t members, uint32_t member) {
    const auto first = FirstMember::read(kMemberArg + KPart::kCount);
    const uint32_t arrived = get_semaphore(first.arrived_semaphore);
    cb_wait_front(kCbPartial, 1);
    noc_async_write(get_read_ptr(kCbPartial),
                    get_noc_addr(first.first_x, first.first_y,
                                 get_write_ptr(kCbGathered) + member * kFloatTileBytes),
                    kFloatTileBytes);
    noc_async_write_barrier();
    cb_pop_front(kCbPartial, 1);
    noc_semaphore_inc(get_noc_addr(first.first_x, first.first_y, arrived), 1);
    noc_async_atomic_barrier();
    if (member == 0) {
        cb_reserve_back(kCbGathered, members);
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(arrived), members);
        cb_push_back(kCbGathered, members);
    }
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const uint32_t logits_address = WriterTensors::Addresses::read(UnitRange::kCount).logits;
    const auto args = WriterArgs::read();
    const TensorAccessor logits(WriterTensors::logits(), logits_address);
    const uint32_t members = MemberArgs::read().members;
    const auto part = KPart::read(kMemberArg);

    if (members > 1) {
        exchange_partials(members, part.member);
        if (part.member != 0) {
            return;
        }
    }
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
        // Flushed data has left L1, so compute may pack into the page again. One barrier at the end
        // waits for arrival.
        noc_async_writes_flushed();
        cb_pop_front(kCbOut, 1);
    }
    noc_async_write_barrier();
}
