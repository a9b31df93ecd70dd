// SPDX-License-Identifier: Apache-2.0
// Word of L1 that threads wait on: a semaphore, or a flag.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/trace.hpp"

namespace tessera::timing {

/// Additions to a word that a store has erased before a wait was for them.
struct ErasedAdditions {
    std::uint32_t count = 0;
    std::uint32_t thread = 0;  ///< engine thread of the last such store
    std::uint16_t site = 0;    ///< its line, in that thread's sites
    std::uint32_t stored = 0;  ///< value that it stored
};

/// Value of a word, and the values that it had since the last wait or the core's own store.
/// noc_semaphore_wait tests equality, and the recorded wait has ended. In a replay the word may
/// pass the awaited value before the thread comes to its wait; the wait must end nevertheless.
class Word {
public:
    explicit Word(std::uint32_t value = 0) noexcept : value_(value), awaited_(value) {}

    [[nodiscard]] std::uint32_t value() const noexcept { return value_; }
    [[nodiscard]] bool meets(WaitTest test, std::uint32_t wanted) const noexcept {
        return test == WaitTest::AtLeast ? value_ >= wanted : passed(wanted);
    }
    /// Adds a value that arrives from another core, modulo 2^32.
    void add(std::uint32_t number) noexcept {
        passed_ = (number < kRemembered ? passed_ << number : 0) | 1U;
        value_ += number;
    }
    /// Stores a value that arrives from another core. A lower value discards the history.
    void write(std::uint32_t value) noexcept {
        if (value >= value_) {
            add(value - value_);
        } else {
            store(value);
        }
    }
    /// Stores a value of the word's own core, which discards the history.
    void store(std::uint32_t value) noexcept {
        value_ = value;
        awaited_ = value;
        passed_ = 1;
    }
    /// Notes that an event of a thread is about to store `value`. A core may erase a count only
    /// after a wait for all of it: additions of other cores that came since then are lost.
    void note_store(std::uint32_t value, std::uint32_t thread, std::uint16_t site) noexcept {
        if (value_ > awaited_ && value < value_) {
            erased_ = {erased_.count + value_ - awaited_, thread, site, value};
        }
    }
    /// Returns the additions that stores have erased since the last wait ended.
    [[nodiscard]] const ErasedAdditions& erased() const noexcept { return erased_; }
    /// Discards the values before `wanted` and the erased additions, after a wait for it.
    void forget_before(std::uint32_t wanted) noexcept {
        awaited_ = wanted;
        erased_ = {};
        const std::uint32_t ago = value_ - wanted;
        if (ago + 1 < kRemembered) {
            passed_ &= (std::uint64_t{1} << (ago + 1)) - 1;
        }
    }

    std::vector<std::uint32_t> waiters;  ///< engine threads that wait for it

private:
    static constexpr std::uint32_t kRemembered = 64;

    [[nodiscard]] bool passed(std::uint32_t wanted) const noexcept {
        const std::uint32_t ago = value_ - wanted;
        return ago < kRemembered && ((passed_ >> ago) & 1U) != 0;
    }

    std::uint32_t value_;
    std::uint32_t awaited_;  ///< value that the last wait was for, or that was stored since then
    ErasedAdditions erased_;
    std::uint64_t passed_ = 1;  ///< bit k: the word had the value value_ − k
};

}  // namespace tessera::timing
