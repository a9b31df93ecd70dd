// SPDX-License-Identifier: Apache-2.0
// How evenly the cores of a launch use the banks of DRAM at a time. Totals cannot tell: each bank
// may serve as much as any other, and yet all cores queue at one after another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/trace.hpp"

namespace tessera::advise {

/// How the transfers of one line go over the banks, each core's by itself.
struct LineBanks {
    std::string line;  ///< "ops/moe_bmm/kernels/operands.hpp:76"
    std::uint64_t transfers = 0;
    /// Banks that as many transfers in a row of a core lie in as there are banks: the mean of a
    /// sliding window.
    double used = 0;
    /// From one transfer of a core to its next, modulo the banks: the most frequent distance.
    std::uint32_t stride = 0;
};

struct BankCamping {
    std::string step;
    std::uint32_t num_banks = 0;
    /// Banks that kWindow transfers in a row of all cores lie in, the mean over such windows; cores
    /// take turns, one transfer each.
    double used = 0;
    /// Of as many transfers that chose a bank at random: what `used` would be.
    double even = 0;
    /// From one transfer of a core to its next, modulo the banks: the most frequent distance.
    std::uint32_t stride = 0;
    /// Share of transfers by bank, in each of kSlices parts of the cores' transfers.
    std::vector<std::vector<double>> map;
    std::vector<LineBanks> lines;  ///< by transfers, the most first

    static constexpr std::uint32_t kSlices = 32;
};

/// A launch whose cores' transfers lie in fewer banks than this part of an even use camps on them.
inline constexpr double kCamps = 0.75;

/// None where cores make too few transfers with DRAM to tell, or only one core makes any.
/// `names` are Trace::names.
[[nodiscard]] std::optional<BankCamping> bank_camping(const LaunchTrace& launch,
                                                      std::uint32_t num_banks,
                                                      const std::vector<std::string>& names);

/// Whether each core's transfers at the line stay at few banks: less than kCamps of what places
/// chosen at random would use.
[[nodiscard]] bool camps(const LineBanks& line, std::uint32_t num_banks);

}  // namespace tessera::advise
