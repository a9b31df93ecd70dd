// SPDX-License-Identifier: Apache-2.0
// What will happen next: a 4-ary heap of packed keys. Events of equal time come out in the order in
// which they were put in, so that a replay has one outcome.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

enum class QueueEvent : std::uint8_t {
    ThreadReady,    ///< subject: engine thread that goes on
    TransferStage,  ///< subject: transfer in the Transport whose next stage is due
};

class EventQueue {
public:
    static constexpr Millicycles kNever = std::numeric_limits<Millicycles>::max();

    struct Entry {
        Millicycles time = 0;
        QueueEvent event{};
        std::uint32_t subject = 0;
    };

    /// Preconditions   time ≥ 0, subject < 2^26.
    void push(Millicycles time, QueueEvent event, std::uint32_t subject);
    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    /// Time of the next event; kNever if there is none.
    [[nodiscard]] Millicycles next_time() const noexcept {
        return heap_.empty() ? kNever : static_cast<Millicycles>(heap_.front().time);
    }
    /// Precondition   not empty.
    [[nodiscard]] Entry pop();

private:
    /// Ordered by time, then by number of push: the upper bits of `rest`.
    struct Key {
        std::uint64_t time = 0;
        std::uint64_t rest = 0;
        friend constexpr auto operator<=>(const Key&, const Key&) = default;
    };

    void sink(Key key);

    std::vector<Key> heap_;
    std::uint64_t num_pushed_ = 0;
};

}  // namespace tessera::timing
