// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/event_queue.hpp"

#include <algorithm>

namespace tessera::timing {
namespace {

constexpr unsigned kSubjectBits = 26;
constexpr unsigned kEventBits = 2;
constexpr std::uint64_t kSubjectMask = (1ULL << kSubjectBits) - 1;
constexpr std::size_t kArity = 4;

}  // namespace

void EventQueue::push(Millicycles time, QueueEvent event, std::uint32_t subject) {
    const std::uint64_t rest = num_pushed_++ << (kSubjectBits + kEventBits) |
                               static_cast<std::uint64_t>(event) << kSubjectBits | subject;
    const Key key{static_cast<std::uint64_t>(time), rest};
    std::size_t hole = heap_.size();
    heap_.push_back(key);
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / kArity;
        if (heap_[parent] <= key) {
            break;
        }
        heap_[hole] = heap_[parent];
        hole = parent;
    }
    heap_[hole] = key;
}

EventQueue::Entry EventQueue::pop() {
    const Key top = heap_.front();
    const Key last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
        sink(last);
    }
    return {static_cast<Millicycles>(top.time),
            static_cast<QueueEvent>((top.rest >> kSubjectBits) & ((1U << kEventBits) - 1)),
            static_cast<std::uint32_t>(top.rest & kSubjectMask)};
}

void EventQueue::sink(Key key) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = hole * kArity + 1) {
        const std::size_t end = std::min(child + kArity, size);
        std::size_t least = child;
        for (std::size_t i = child + 1; i < end; ++i) {
            if (heap_[i] < heap_[least]) {
                least = i;
            }
        }
        if (key <= heap_[least]) {
            break;
        }
        heap_[hole] = heap_[least];
        hole = least;
    }
    heap_[hole] = key;
}

}  // namespace tessera::timing
