// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace tessera::timing {
EventQueue::EventQueue() : slots_(kSlots, kNone), nodes_(1) {
}

void EventQueue::add_node() {
    free_node_ = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
}

// Insertion sort: a slot is about a cycle and has few events.
void EventQueue::put_in_order(const Key& key) {
    std::size_t place = sorted_.size();
    sorted_.push_back(key);
    for (; place > 0 && sorted_[place - 1] < key; --place) {
        sorted_[place] = sorted_[place - 1];
    }
    sorted_[place] = key;
}

void EventQueue::put_near_or_far(std::uint64_t slot, const Key& key) {
    if (slot <= begin_) {
        return put_in_order(key);
    }
    // 4096 slots are 4.2 M millicycles. Only fabric connections (4 300 ns) and long computations
    // take longer; they are too few to pay for a second wheel.
    far_.push_back(key);
    std::ranges::push_heap(far_, std::greater{});
}

void EventQueue::sort_slot() {
    const std::size_t place = begin_ % kSlots;
    for (std::uint32_t node = slots_[place]; node != kNone;) {
        put_in_order(nodes_[node].key);
        const std::uint32_t next = nodes_[node].next;
        nodes_[node].next = free_node_;
        free_node_ = node;
        node = next;
    }
    slots_[place] = kNone;
    is_filled_[place / kWordBits] &= ~(1ULL << place % kWordBits);
    if (is_filled_[place / kWordBits] == 0) {
        is_word_filled_ &= ~(1ULL << place / kWordBits);
    }
}

std::uint64_t EventQueue::next_slot() const noexcept {
    const std::size_t place = begin_ % kSlots;
    const std::size_t word = place / kWordBits;
    const auto distance = [&](std::size_t at) { return begin_ + (at - place) % kSlots; };
    const std::uint64_t here = is_filled_[word] & (~0ULL << place % kWordBits);
    if (here != 0) {
        return distance(word * kWordBits + static_cast<std::size_t>(std::countr_zero(here)));
    }
    // Two levels of bits: the search reads two words, however empty the wheel is. It tries the
    // words after this one, then wraps around to the bits of this one in front of `place`.
    const std::uint64_t turned = std::rotr(is_word_filled_, static_cast<int>(word + 1));
    const std::size_t next =
        (word + 1 + static_cast<std::size_t>(std::countr_zero(turned))) % is_filled_.size();
    return distance(next * kWordBits +
                    static_cast<std::size_t>(std::countr_zero(is_filled_[next])));
}

void EventQueue::turn() {
    begin_ = is_word_filled_ != 0 ? next_slot() : slot_of(far_.front().time);
    while (!far_.empty() && slot_of(far_.front().time) < begin_ + kSlots) {
        put_into_slot(slot_of(far_.front().time), far_.front());
        std::ranges::pop_heap(far_, std::greater{});
        far_.pop_back();
    }
    sort_slot();
}

Millicycles EventQueue::time_behind() const noexcept {
    if (is_word_filled_ == 0) {
        return far_.empty() ? kNever : static_cast<Millicycles>(far_.front().time);
    }
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t node = slots_[next_slot() % kSlots]; node != kNone;
         node = nodes_[node].next) {
        first = std::min(first, nodes_[node].key.time);
    }
    return static_cast<Millicycles>(first);
}

}  // namespace tessera::timing
