// SPDX-License-Identifier: Apache-2.0
// Hands out ranges that exist at the same offset in every bank of one memory (DRAM, or the L1s).
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera {

/// Which end of the memory buffers come from: DRAM bottom, L1 top, as in TT-Metalium.
enum class Growth : std::uint8_t { BottomUp, TopDown };

/// First fit over the free ranges of [low, high). Knows who holds what, for messages. Behind each
/// buffer a gap is left as long as there is room, so that a page index a little past its end does
/// not lie in the next.
class BankAllocator {
public:
    /// `memory` names it in messages, e.g. "DRAM bank of device 0".
    /// Preconditions  no gap if buffers come from the top.
    BankAllocator(std::string memory, std::uint64_t low, std::uint64_t high,
                  std::uint64_t alignment, Growth growth, std::uint64_t gap = 0);

    /// Takes `bytes` of every bank for `holder`.
    /// Errors   UsageError naming the memory, the holder, the bytes missing and the largest
    ///          holders, if no free range is large enough.
    [[nodiscard]] std::uint64_t allocate(const std::string& holder, std::uint64_t bytes);
    /// Errors   UsageError if nothing was allocated at `address`.
    void deallocate(std::uint64_t address);

    [[nodiscard]] std::uint64_t bytes_held() const noexcept;
    /// Lowest address any buffer holds, or the upper end if none does.
    [[nodiscard]] std::uint64_t lowest_held() const noexcept;
    /// "weights 3 MiB, tokens 1 KiB, …": the largest first, at most `count` of them.
    [[nodiscard]] std::string largest_holders(std::size_t count) const;

private:
    struct Held {
        std::uint64_t bytes;
        std::string holder;
    };
    [[noreturn]] void refuse(const std::string& holder, std::uint64_t bytes) const;
    [[nodiscard]] std::uint64_t largest_free() const noexcept;
    [[nodiscard]] bool find_from_bottom(std::uint64_t bytes, std::uint64_t gap,
                                        std::uint64_t& address) const;
    [[nodiscard]] bool find_from_top(std::uint64_t bytes, std::uint64_t& address) const;

    std::string memory_;
    std::uint64_t low_;
    std::uint64_t high_;
    std::uint64_t alignment_;
    Growth growth_;
    std::uint64_t gap_;
    std::map<std::uint64_t, Held> held_;  ///< by address
};

}  // namespace tessera
