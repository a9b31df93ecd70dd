// SPDX-License-Identifier: Apache-2.0
// A sweep as CSV (RFC 4180) for machines.
#pragma once

#include <string>

#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// One row per point by case and rank, those without a time last: rank, each key's value, cycles,
/// expected_ns, low_ns, high_ns, of_best, slower, bound, recorded_by (row of the file's order,
/// from 1), failure, and `<step>_ns` of each step of the first point's run.
[[nodiscard]] std::string to_csv(const SweepResult& result);

}  // namespace tessera::sweep
