// SPDX-License-Identifier: Apache-2.0
// Writes and reads a timed run as JSON: report.json, which report.html contains too.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/config/resolved.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Version of the schema. It changes when a key is renamed, removed or changes its meaning; new
/// keys do not change it.
inline constexpr int kReportSchemaVersion = 3;

/// Writes a report as documented in runtime/report/README.md. Times are integers in millicycles.
[[nodiscard]] nlohmann::ordered_json to_json(const TimingReport& report,
                                             const config::Resolved& resolved,
                                             const RunRecord* run);

/// Report read from JSON: without the machine's costs, the stretches of paths and `moe`.
struct ReadReport {
    TimingReport report;
    std::vector<RunShare> shares;  ///< by launch
};

/// Reads the keys of `chosen`, such as "launches.name", or all if it is empty.
/// Errors   UsageError for another schema or version, or an unknown word;
///          nlohmann::json::exception for keys that are missing or of another type.
[[nodiscard]] ReadReport from_json(const nlohmann::ordered_json& json,
                                   std::span<const std::string_view> chosen = {});

}  // namespace tessera::report
