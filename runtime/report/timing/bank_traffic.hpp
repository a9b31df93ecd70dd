// SPDX-License-Identifier: Apache-2.0
// Which banks of DRAM a launch's transfers go to, and when. Totals cannot tell cores that queue at
// one bank after another from cores that spread over all of them.
#pragma once

#include <cstdint>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Bytes that the data-movement kernels of each device have under way to and from its banks, from
/// one time of the launch to another. Replays do not log when each transfer begins and ends: those
/// of a line take its issue time in equal parts, in order, and each spreads its bytes from there to
/// the end of the wait behind it. A line whose issue costs nothing has no place in time and is left
/// out. Only devices with such bytes are listed.
[[nodiscard]] BankTraffic bank_traffic(const LaunchTrace& trace, const LaunchTimeline& timeline,
                                       std::uint32_t num_banks, Millicycles from, Millicycles to);

}  // namespace tessera::report
