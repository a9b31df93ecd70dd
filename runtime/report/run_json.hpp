// SPDX-License-Identifier: Apache-2.0
// A run as JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/report/run_record.hpp"

namespace tessera::report {

/// Changes when a key is renamed, removed or changes its meaning; new keys do not change it.
inline constexpr int kRunSchemaVersion = 1;

/// {schema: "tessera.run", version, name, verdict, failed[], maths, makespan, inputs, mesh{},
/// workload{} (see
///  workload_json),
///  host{threads, load_s, launch_s, verify_s, timing_s, total_s},
///  steps[{name, op, schedule, cores, output_tiles, host_s, verify_s, makespan,
///  check}], where `check` is
///  null or {elements, pcc, max_relative_error, passed, failure},
///  cores{spread{figure: {min, median, max}}, each[{device, x, y, figures…}]},
///  config[{key, value, …}]}.
/// A makespan is {low, expected, high} in thousandths of a cycle, or null without timing.
/// A PCC or error that is no number is null. Verdict is "pass", "fail" or "unchecked".
[[nodiscard]] nlohmann::ordered_json to_json(const RunRecord& record);

}  // namespace tessera::report
