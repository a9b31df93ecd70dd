// SPDX-License-Identifier: Apache-2.0
// Shares the host memory of a tensor with equal contents on several devices.
#pragma once

#include <cstdint>
#include <span>

namespace tessera {

class BankMemory;

/// The same range of every bank.
struct BankRange {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< per bank
};

/// Returns whether the range has enough whole host pages to make sharing cheaper than copying.
[[nodiscard]] bool is_worth_sharing(const BankRange& range) noexcept;

/// Copies the range of every bank of the first memory to all `memories`. Whole host pages are
/// shared until one device writes to them.
/// Preconditions  all memories have the same size and number of banks and start at a host page.
void replicate(std::span<BankMemory* const> memories, const BankRange& range);

/// Gives a replicated range its own memory again; shared pages become zeros.
void stop_sharing(BankMemory& memory, const BankRange& range);

}  // namespace tessera
