// SPDX-License-Identifier: Apache-2.0
// A report of two devices of 8×8 cores and two launches, made by a rule: large enough that a page
// of it has something of everything.
#pragma once

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

[[nodiscard]] TimingReport mesh_report();

}  // namespace tessera::report
