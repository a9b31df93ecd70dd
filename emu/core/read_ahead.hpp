// SPDX-License-Identifier: Apache-2.0
// Where a host thread's NoC reads will probably go next, so that tile maths can load those bytes
// into the host's caches meanwhile. A hint for the host's speed: it changes no value and no event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/core/noc_port.hpp"

namespace tessera {

/// Follows the reads of one port, barrier by barrier. Pages of a tensor go round the banks, so each
/// read of a loop moves on by the same step every few barriers; kernels on other cores run the same
/// loop, so steps are kept when the port changes.
class ReadAhead {
public:
    /// Reads of other sizes are not followed: a tile of bf16.
    static constexpr std::size_t kPageBytes = 2048;

    /// Of the calling host thread.
    [[nodiscard]] static ReadAhead& of_this_thread();

    /// Takes note of what a read barrier completes on a port, and foretells the two that follow.
    void note(const NocPort& port);

    /// The next page to load, each of them once; null if no more are foretold. Not an address to
    /// read from: it may lie outside of any memory.
    [[nodiscard]] const std::byte* take() noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        return next_ < foretold_.size() ? reinterpret_cast<const std::byte*>(foretold_[next_++])
                                        : nullptr;
    }

private:
    using Addresses = std::vector<std::uintptr_t>;
    static constexpr std::size_t kLongestPeriod = 3;  ///< 12 banks, pages by the eight
    static constexpr std::size_t kHistory = 2 * kLongestPeriod + 1;

    /// Addresses read `age` barriers ago; 0 is the latest.
    [[nodiscard]] const Addresses& past(std::size_t age) const {
        return history_[(newest_ + kHistory - age) % kHistory];
    }
    void remember(const NocPort& port);
    [[nodiscard]] bool has_period(std::size_t period) const;
    [[nodiscard]] bool keeps_steps() const;
    void learn_steps();
    void foretell(std::size_t barriers_ahead);

    const NocPort* port_ = nullptr;
    std::array<Addresses, kHistory> history_;
    std::size_t newest_ = 0;
    std::size_t period_ = 0;  ///< barriers after which each read moves on by its step; 0: unknown
    Addresses steps_;
    Addresses foretold_;
    std::size_t next_ = 0;
};

}  // namespace tessera
