// SPDX-License-Identifier: Apache-2.0
// A sweep as one HTML page that needs no network and no script.
#pragma once

#include <string>

#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// Question and answer; times of all points with their intervals; times over each key; times by
/// step; the ranked table; points without a time. Looks like report.html.
[[nodiscard]] std::string to_html(const SweepResult& result);

/// Values of a key in the order of an axis: by number where all begin with one and have the same
/// unit, else as they first appear.
[[nodiscard]] std::vector<std::string> axis_of(const SweepResult& result, std::size_t key);

}  // namespace tessera::sweep
