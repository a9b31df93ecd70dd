// SPDX-License-Identifier: Apache-2.0
// One launch of report.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// `window`: what of the run the launch decides.
[[nodiscard]] nlohmann::ordered_json launch_json(const LaunchReport& launch, const PeakRates& peak,
                                                 const LaunchWindow& window);
/// {low, expected, high}.
[[nodiscard]] nlohmann::ordered_json predicted_json(const PredictedTime& time);
[[nodiscard]] nlohmann::ordered_json achieved_json(const AchievedRates& rates);
/// [{name, time}].
[[nodiscard]] nlohmann::ordered_json bounds_json(const std::vector<BoundShare>& bounds);

}  // namespace tessera::report
