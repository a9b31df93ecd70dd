// SPDX-License-Identifier: Apache-2.0
// What will happen next: a 4-ary heap of packed keys. Events of equal time come out in the order in
// which they were put in, so that a replay has one outcome.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

enum class QueueEvent : std::uint8_t {
    ThreadReady,    ///< subject: engine thread that goes on
    TransferStage,  ///< subject: transfer in the Transport whose next stage is due
    WordArrives,    ///< subject: engine's index of a word on its way to an L1
};

class EventQueue {
public:
    struct Entry {
        Millicycles time = 0;
        std::uint64_t order = 0;
        QueueEvent event{};
        std::uint32_t subject = 0;
    };

    void push(Millicycles time, QueueEvent event, std::uint32_t subject);
    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] Entry pop();

private:
    std::vector<Entry> heap_;
    std::uint64_t num_pushed_ = 0;
};

}  // namespace tessera::timing
