// SPDX-License-Identifier: Apache-2.0
// One tensor on several devices, held once by the host.
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

/// True if enough of the range are whole pages of the host for sharing them to be worth while.
[[nodiscard]] bool is_worth_sharing(const BankRange& range) noexcept;

/// Gives the range of every bank of `memories` the bytes that the first one has there. Whole pages
/// are shared until one device writes to its own.
/// Preconditions  memories of one size and number of banks, which begin on pages of the host.
void replicate(std::span<BankMemory* const> memories, const BankRange& range);

/// Gives a range that was replicated memory of its own again, zeros where pages were shared.
void stop_sharing(BankMemory& memory, const BankRange& range);

}  // namespace tessera
