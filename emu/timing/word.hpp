// SPDX-License-Identifier: Apache-2.0
// Models a word of L1 that threads wait on: a semaphore, or a flag.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/trace.hpp"

namespace tessera::timing {

/// Keeps which values others' additions and stores passed since the last wait or own store.
/// noc_semaphore_wait tests equality, and when the kernel was recorded its wait ended: if a replay
/// lets the word grow further before the thread comes to its wait, that wait must end all the same.
class Word {
public:
    explicit Word(std::uint32_t value = 0) noexcept : value_(value) {}

    [[nodiscard]] std::uint32_t value() const noexcept { return value_; }
    [[nodiscard]] bool meets(WaitTest test, std::uint32_t wanted) const noexcept {
        return test == WaitTest::AtLeast ? value_ >= wanted : passed(wanted);
    }
    /// From elsewhere: addition, modulo 2^32.
    void add(std::uint32_t number) noexcept {
        passed_ = (number < kRemembered ? passed_ << number : 0) | 1U;
        value_ += number;
    }
    /// From elsewhere: a store; to a lower value it begins anew.
    void write(std::uint32_t value) noexcept {
        if (value >= value_) {
            add(value - value_);
        } else {
            store(value);
        }
    }
    /// Own store.
    void store(std::uint32_t value) noexcept {
        value_ = value;
        passed_ = 1;
    }
    /// After a wait for `wanted`: what came before it no longer counts.
    void forget_before(std::uint32_t wanted) noexcept {
        const std::uint32_t ago = value_ - wanted;
        if (ago + 1 < kRemembered) {
            passed_ &= (std::uint64_t{1} << (ago + 1)) - 1;
        }
    }

    std::vector<std::uint32_t> waiters;  ///< engine threads

private:
    static constexpr std::uint32_t kRemembered = 64;

    [[nodiscard]] bool passed(std::uint32_t wanted) const noexcept {
        const std::uint32_t ago = value_ - wanted;
        return ago < kRemembered && ((passed_ >> ago) & 1U) != 0;
    }

    std::uint32_t value_;
    std::uint64_t passed_ = 1;  ///< bit k: value_ − k was there
};

}  // namespace tessera::timing
