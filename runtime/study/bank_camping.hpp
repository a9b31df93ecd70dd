// SPDX-License-Identifier: Apache-2.0
// Measures how evenly the cores of a launch use the DRAM banks at any time. Totals do not show it:
// each bank may serve as much as any other while all cores queue at one bank after another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/trace.hpp"

namespace tessera::advise {

/// Distribution of one line's transfers over the banks, for each core by itself.
struct LineBanks {
    std::string line;  ///< "ops/moe_bmm/kernels/operands.hpp:76"
    std::uint64_t transfers = 0;
    /// Mean number of distinct banks in a sliding window of num_banks consecutive transfers of a
    /// core.
    double used = 0;
    /// Most frequent distance in banks, modulo their number, between transfers of a core.
    std::uint32_t stride = 0;
};

struct BankCamping {
    std::string step;
    std::uint32_t num_banks = 0;
    /// Mean number of distinct banks in windows of kWindow transfers of all cores, with the cores
    /// in turn, one transfer each.
    double used = 0;
    /// Value of `used` for the same number of transfers to random banks.
    double even = 0;
    /// Most frequent distance in banks, modulo their number, between transfers of a core.
    std::uint32_t stride = 0;
    /// Share of transfers by bank, in each of kSlices parts of the cores' transfers.
    std::vector<std::vector<double>> map;
    std::vector<LineBanks> lines;  ///< by number of transfers, the largest first

    static constexpr std::uint32_t kSlices = 32;
};

/// A launch whose transfers use fewer banks than this part of an even use camps on them.
inline constexpr double kCamps = 0.75;

/// Returns the bank use of a launch; nothing if cores make too few DRAM transfers, or only one core
/// makes any. `names` are Trace::names.
[[nodiscard]] std::optional<BankCamping> bank_camping(const LaunchTrace& launch,
                                                      std::uint32_t num_banks,
                                                      const std::vector<std::string>& names);

/// Returns whether each core's transfers at the line use few banks: fewer than kCamps of the number
/// that random banks would give.
[[nodiscard]] bool camps(const LineBanks& line, std::uint32_t num_banks);

}  // namespace tessera::advise
