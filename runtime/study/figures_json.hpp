// SPDX-License-Identifier: Apache-2.0
// Writes and reads the figures of a run as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/study/run_figures.hpp"

namespace tessera::compare {

/// Returns all figures; figures_from_json() restores them exactly.
[[nodiscard]] nlohmann::ordered_json to_json(const RunFigures& run);

/// Returns the figures that to_json() wrote.
/// Errors   nlohmann::json::exception for another form.
[[nodiscard]] RunFigures figures_from_json(const nlohmann::ordered_json& json);

}  // namespace tessera::compare
