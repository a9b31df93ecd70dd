// SPDX-License-Identifier: Apache-2.0
// Allocates ranges at the same offset in every bank of one memory (DRAM, or the L1s).
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera {

/// End of the memory at which allocation starts: DRAM bottom, L1 top, as in TT-Metalium.
enum class Growth : std::uint8_t { BottomUp, TopDown };

/// First-fit allocator over [low, high). It knows the holders of ranges, for messages. It leaves a
/// gap after each buffer while space is left, so that a page index slightly past its end does not
/// hit the next buffer.
class BankAllocator {
public:
    /// `memory` is its name in messages, e.g. "DRAM bank of device 0".
    /// Preconditions  no gap if buffers are allocated from the top.
    BankAllocator(std::string memory, std::uint64_t low, std::uint64_t high,
                  std::uint64_t alignment, Growth growth, std::uint64_t gap = 0);

    /// Allocates `bytes` in every bank for `holder`.
    /// Errors   UsageError naming the memory, the holder, the bytes missing and the largest
    ///          holders, if no free range is large enough.
    [[nodiscard]] std::uint64_t allocate(const std::string& holder, std::uint64_t bytes);
    /// Errors   UsageError if no allocation begins at `address`.
    void deallocate(std::uint64_t address);

    [[nodiscard]] std::uint64_t bytes_held() const noexcept;
    /// Returns the lowest allocated address, or the upper end if there is none.
    [[nodiscard]] std::uint64_t lowest_held() const noexcept;
    /// Returns "weights 3 MiB, tokens 1 KiB, …": the largest first, at most `count` of them.
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
