// SPDX-License-Identifier: Apache-2.0
// Traffic of a launch by DRAM bank over time. Totals cannot distinguish cores that queue at one
// bank after another from cores that spread over all banks.
#pragma once

#include <cstdint>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Returns the bytes in flight between each device's data-movement kernels and its banks, between
/// two times of the launch. Replays do not record the start and end of each transfer, so they are
/// estimated. Transfers of a line divide its issue time equally, in order. Each transfer
/// distributes its bytes from its issue to the end of the next wait. Lines with an issue time of 0
/// and devices without such bytes are omitted.
[[nodiscard]] BankTraffic bank_traffic(const LaunchTrace& trace, const LaunchTimeline& timeline,
                                       std::uint32_t num_banks, Millicycles from, Millicycles to);

}  // namespace tessera::report
