// SPDX-License-Identifier: Apache-2.0
// A generated report of two devices of 8×8 cores and two launches, large enough to use every part
// of the page.
#pragma once

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

[[nodiscard]] TimingReport mesh_report();

}  // namespace tessera::report
