// SPDX-License-Identifier: Apache-2.0
// Fill of one CB over time, with few enough points to be drawn.
#pragma once

#include <cstddef>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// `core` of the level is kept; `capacity` comes from the core's CBs. If there are more than
/// `limit` changes, those nearer than makespan / `limit` to the point before raise it instead.
[[nodiscard]] CbSeries cb_series(const CbLevel& level, const CoreTrace& core, Millicycles makespan,
                                 std::size_t limit);

}  // namespace tessera::report
