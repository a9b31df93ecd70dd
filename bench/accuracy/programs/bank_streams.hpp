// SPDX-License-Identifier: Apache-2.0
// Cores that each read or write a stretch of one DRAM bank at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/prediction.hpp"
#include "bench/accuracy/programs/bursts.hpp"
#include "bench/accuracy/row.hpp"

namespace tessera::score {

struct BankStream {
    CoreCoord core;
    std::uint32_t bank = 0;
};

/// Assigns the first `cores` cores, row by row; reader i uses bank i modulo `banks`.
/// Errors   NotExpressible if the device has fewer cores or banks.
[[nodiscard]] std::vector<BankStream> streams_in_order(const ArchSpec& arch, std::uint32_t cores,
                                                       std::uint32_t banks);

/// Assigns one reader to each of the first `banks` banks: the free core with the fewest hops for
/// the read data on `noc`.
[[nodiscard]] std::vector<BankStream> streams_beside_banks(const ArchSpec& arch,
                                                           std::uint32_t banks, NOC noc);

enum class BankAccess : std::uint8_t { Read, Write };

/// Returns the bandwidth of all streams together in the row's unit; the slowest burst sets the
/// time.
[[nodiscard]] Prediction run_bank_streams(const Row& row, const std::vector<BankStream>& streams,
                                          const BankBurst& burst, BurstPlace place,
                                          const Model& model, BankAccess access = BankAccess::Read);

}  // namespace tessera::score
