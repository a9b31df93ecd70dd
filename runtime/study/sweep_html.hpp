// SPDX-License-Identifier: Apache-2.0
// A sweep as one HTML page that needs no network.
#pragma once

#include <string>

#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// Shows question and answer; how much each key matters; times of all points with their intervals;
/// times over each key and by step; the ranked table; points without a time. Looks like
/// report.html and is drawn by its scripts.
[[nodiscard]] std::string to_html(const SweepResult& result);

}  // namespace tessera::sweep
