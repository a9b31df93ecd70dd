// SPDX-License-Identifier: Apache-2.0
// Writes a run as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/report/run_record.hpp"

namespace tessera::report {

/// Version of the schema. It changes when a key is renamed, removed or changes its meaning; new
/// keys do not change it.
inline constexpr int kRunSchemaVersion = 2;

/// Writes a run under these keys:
///   {schema: "tessera.run", version, time_unit, name, verdict, failed[],
///    nan[{tensor, step, count, elements, first}], maths, drawn[], makespan, inputs, unread_inputs[],
///    unread_sets[],
///    mesh{}, workload{} (as workload_json gives it),
///    host{threads, load_s, launch_s, verify_s, timing_s, total_s},
///    steps[{name, op, schedule, cores, output_tiles, host_s, verify_s, device_time, check}],
///    cores{spread{figure: {min, median, max}}, each[{device, x, y, figures…}]},
///    config[{key, value, …}]}.
/// Units    seconds where a key ends in `_s`; `makespan` of the run and `device_time` of a step
///          (its longest on one device) are {low, expected, high} in millicycles of the device's
///          clock, or null without timing.
/// A check is null or {elements, pcc, max_relative_error, passed, failure, doubt}. A PCC or error that is
/// not a number is null, such as the PCC against a constant reference. `nan` lists each tensor with
/// NaN; `step` is empty for an input. Verdict is "pass", "fail" or "unchecked".
[[nodiscard]] nlohmann::ordered_json to_json(const RunRecord& record);

}  // namespace tessera::report
