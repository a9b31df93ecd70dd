// SPDX-License-Identifier: Apache-2.0
// Predicts where a host thread's NoC reads go next: a stride prefetcher in software. Tile maths
// loads those bytes into the host's caches meanwhile. It changes no value and no event.
//
// Hardware prefetchers do not cross the host's pages, and a core's reads go round the banks, each
// in memory of its own. moe_bmm reached 0.53 of the FMA peak with this, 0.49 without (M 128, one
// thread); two thirds of the copies' time had been waits for the third-level cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/core/noc_port.hpp"

namespace tessera {

/// Follows the reads of one port, barrier by barrier. Pages of a tensor go round the banks, so each
/// read of a loop moves on by the same stride every few barriers; kernels on other cores run the
/// same loop, so strides are kept when the port changes.
class StridePrefetcher {
public:
    /// Reads of other sizes are not followed: a tile of bf16.
    static constexpr std::size_t kPageBytes = 2048;

    /// Returns the prefetcher of the calling host thread.
    [[nodiscard]] static StridePrefetcher& of_this_thread();

    /// Takes note of what a read barrier completes on a port, and predicts the two that follow.
    void note(const NocPort& port);

    /// Returns the next page to load, each of them once; null if no more are predicted. Not an
    /// address to read from: it may lie outside of any memory.
    [[nodiscard]] const std::byte* take() noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        return next_ < predicted_.size() ? reinterpret_cast<const std::byte*>(predicted_[next_++])
                                         : nullptr;
    }

private:
    using Addresses = std::vector<std::uintptr_t>;
    static constexpr std::size_t kLongestPeriod = 3;  ///< 8 pages a barrier over 12 banks
    static constexpr std::size_t kHistory = 2 * kLongestPeriod + 1;

    /// Returns the addresses read `age` barriers ago; 0 is the latest.
    [[nodiscard]] const Addresses& past(std::size_t age) const {
        return history_[(newest_ + kHistory - age) % kHistory];
    }
    void remember(const NocPort& port);
    [[nodiscard]] bool has_period(std::size_t period) const;
    [[nodiscard]] bool keeps_strides() const;
    void learn_strides();
    void predict(std::size_t barriers_ahead);

    const NocPort* port_ = nullptr;
    std::array<Addresses, kHistory> history_;
    std::size_t newest_ = 0;
    std::size_t period_ = 0;  ///< barriers after which each read moves on by its stride; 0: unknown
    Addresses strides_;
    Addresses predicted_;
    std::size_t next_ = 0;
};

}  // namespace tessera
