// SPDX-License-Identifier: Apache-2.0
// A timed run as JSON: report.json, which report.html holds too.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/config/resolved.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Changes when a key is renamed, removed or changes its meaning; new keys do not change it.
inline constexpr int kReportSchemaVersion = 1;

/// As documented in runtime/report/README.md. Times are integers in millicycles.
[[nodiscard]] nlohmann::ordered_json to_json(const TimingReport& report,
                                             const config::Resolved& resolved,
                                             const RunRecord* run);

}  // namespace tessera::report
