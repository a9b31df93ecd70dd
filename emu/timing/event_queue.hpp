// SPDX-License-Identifier: Apache-2.0
// Queue of events by time: a wheel of time slots, of which the next one is sorted. Events of equal
// time are popped in the order in which they were pushed, so that a replay is deterministic.
//
// A wheel takes 12 % of a replay of the DeepSeek-V3-sized layer; a binary heap took 20 %.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Kind of an event.
enum class QueueEvent : std::uint8_t {
    ThreadReady,    ///< subject: engine thread to resume
    TransferStage,  ///< subject: transfer in the Transport whose next stage is due
    MuxReady,       ///< subject: mux whose RISC has handled a packet
};

/// Events are in the slot of their time; those beyond the wheel are in a heap. The wheel is at the
/// slot of the event popped last, whose events are sorted. An earlier event is sorted into that
/// slot.
class EventQueue {
public:
    static constexpr Millicycles kNever = std::numeric_limits<Millicycles>::max();

    struct Entry {
        Millicycles time = 0;
        QueueEvent event{};
        std::uint32_t subject = 0;
    };

    EventQueue();

    /// Preconditions   time ≥ 0, subject < 2^26.
    void push(Millicycles time, QueueEvent event, std::uint32_t subject);
    [[nodiscard]] bool empty() const noexcept {
        return sorted_.empty() && is_word_filled_ == 0 && far_.empty();
    }
    /// Returns the time of the next event; kNever if there is none.
    [[nodiscard]] Millicycles next_time() const noexcept {
        return sorted_.empty() ? time_behind() : static_cast<Millicycles>(sorted_.back().time);
    }
    /// Removes the next event.
    /// Precondition   not empty.
    [[nodiscard]] Entry pop();

private:
    /// Sort key: time, then number of the push, which is in the upper bits of `rest`.
    struct Key {
        std::uint64_t time = 0;
        std::uint64_t rest = 0;
        friend constexpr auto operator<=>(const Key&, const Key&) = default;
    };
    struct Node {
        Key key;
        std::uint32_t next = 0;
    };

    static constexpr unsigned kSlotBits = 10;  ///< a slot is about a cycle
    static constexpr std::size_t kSlots = 4096;
    static constexpr std::size_t kWordBits = 64;

    static constexpr unsigned kSubjectBits = 26;
    static constexpr unsigned kEventBits = 2;
    static constexpr std::uint64_t kSubjectMask = (1ULL << kSubjectBits) - 1;
    static constexpr std::uint32_t kNone = 0;  ///< node 0 is never used

    [[nodiscard]] static std::uint64_t slot_of(std::uint64_t time) noexcept {
        return time >> kSlotBits;
    }
    void add_node();
    void put_into_slot(std::uint64_t slot, const Key& key);
    void put_near_or_far(std::uint64_t slot, const Key& key);
    void put_in_order(const Key& key);
    /// Turns the wheel to the slot of the next event and sorts it.
    /// Precondition   not empty, and nothing is sorted.
    void turn();
    void sort_slot();
    /// Returns the time of the first event after the sorted ones.
    [[nodiscard]] Millicycles time_behind() const noexcept;
    /// Returns the next slot that has events.
    /// Precondition   a slot has events.
    [[nodiscard]] std::uint64_t next_slot() const noexcept;

    std::vector<Key> sorted_;           ///< events of slot `begin_`, the next one last
    std::uint64_t begin_ = 0;           ///< slot at which the wheel is
    std::vector<std::uint32_t> slots_;  ///< nodes of kSlots slots from `begin_` on
    std::array<std::uint64_t, kSlots / kWordBits> is_filled_{};  ///< bit: slot has nodes
    std::uint64_t is_word_filled_ = 0;
    std::vector<Node> nodes_;
    std::uint32_t free_node_ = 0;
    std::vector<Key> far_;  ///< heap of events beyond the wheel
    std::uint64_t num_pushed_ = 0;
};

inline void EventQueue::put_into_slot(std::uint64_t slot, const Key& key) {
    if (free_node_ == kNone) {
        add_node();
    }
    const std::uint32_t number = free_node_;
    const std::size_t place = slot % kSlots;
    Node& node = nodes_[number];
    free_node_ = node.next;
    node = {key, slots_[place]};
    slots_[place] = number;
    is_filled_[place / kWordBits] |= 1ULL << place % kWordBits;
    is_word_filled_ |= 1ULL << place / kWordBits;
}

// Nearly all events are on the wheel, after its current slot.
inline void EventQueue::push(Millicycles time, QueueEvent event, std::uint32_t subject) {
    const std::uint64_t rest = num_pushed_++ << (kSubjectBits + kEventBits) |
                               static_cast<std::uint64_t>(event) << kSubjectBits | subject;
    const Key key{static_cast<std::uint64_t>(time), rest};
    const std::uint64_t slot = slot_of(key.time);
    if (slot - begin_ - 1 < kSlots - 1) {  // unsigned: neither before nor beyond
        put_into_slot(slot, key);
    } else {
        put_near_or_far(slot, key);
    }
}

inline EventQueue::Entry EventQueue::pop() {
    if (sorted_.empty()) {
        turn();
    }
    const Key top = sorted_.back();
    sorted_.pop_back();
    return {static_cast<Millicycles>(top.time),
            static_cast<QueueEvent>((top.rest >> kSubjectBits) & ((1U << kEventBits) - 1)),
            static_cast<std::uint32_t>(top.rest & kSubjectMask)};
}

}  // namespace tessera::timing
