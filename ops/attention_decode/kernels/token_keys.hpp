// SPDX-License-Identifier: Apache-2.0
// The keys of a paged cache that a token attends to, and the synchronisation of cores that share
// them.
#pragma once

#include "../../shared/attention/kernels/blocks.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/for_each_word.hpp"
#include "args.hpp"

using namespace attention;
using namespace tessera::ops::attention_decode;

namespace {

constexpr uint32_t kCbPages = index_of(Cb::SequenceWords);
constexpr uint32_t kCbChosen = index_of(Cb::Chosen);

// The keys of one token: positions, or places in a list that has been gathered in front.
struct Keys {
    uint32_t count;
    const volatile tt_l1_ptr uint32_t* chosen;  // null: place and position are one
    const volatile tt_l1_ptr uint32_t* pages;
    uint32_t page_size;

    uint32_t row(uint32_t place) const {
        const uint32_t position = chosen == nullptr ? place : chosen[place];
        return pages[position / page_size] * page_size + position % page_size;
    }
};

// Skips entries of −1 and positions that the token does not attend to: those before `first` and
// after its own. A list without such entries stays as it is.
template <class Accessor>
uint32_t gather_chosen(const Accessor& list, uint32_t token, uint32_t width, int32_t position,
                       int32_t first = 0) {
    const uint32_t l1_addr = get_write_ptr(kCbChosen);
    noc_async_read(list.get_noc_addr(token), l1_addr, width * sizeof(uint32_t));
    noc_async_read_barrier();
    auto* entries = reinterpret_cast<Words>(l1_addr);
    uint32_t attended = 0;
    for_each_word(entries, width, [&](uint32_t, uint32_t word) {
        const auto entry = static_cast<int32_t>(word);
        attended += entry >= first && entry <= position ? 1 : 0;
    });
    if (attended == width) {
        return width;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < width; ++i) {
        const auto entry = static_cast<int32_t>(entries[i]);
        if (entry >= first && entry <= position) {
            entries[count] = static_cast<uint32_t>(entry);
            count += 1;
        }
    }
    return count;
}

// Takes the sums of this core's partners in their order, one at a time.
// Their coordinates are runtime arguments from `first_partner` on.
template <class Args>
void receive_partials(const Args& args, uint32_t first_partner, uint32_t num_partners,
                      uint32_t& num_received) {
    auto* arrived = reinterpret_cast<Words>(get_semaphore(args.arrived_semaphore));
    const uint32_t room = get_semaphore(args.room_semaphore);
    for (uint32_t partner = 0; partner < num_partners; ++partner) {
        cb_reserve_back(kCbPartial, args.partial_tiles);
        const Partner::Each place{first_partner + partner * Partner::kCount};
        noc_semaphore_inc(get_noc_addr(place.x(), place.y(), room), 1);
        num_received += 1;
        noc_semaphore_wait_min(arrived, num_received);
        cb_push_back(kCbPartial, args.partial_tiles);
    }
}

}  // namespace
