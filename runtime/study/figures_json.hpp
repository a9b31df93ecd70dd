// SPDX-License-Identifier: Apache-2.0
// What comparing runs needs of one, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/study/run_figures.hpp"

namespace tessera::compare {

/// All of the figures; read back, they are the same.
[[nodiscard]] nlohmann::ordered_json to_json(const RunFigures& run);

/// Errors   nlohmann::json::exception for what is no figures.
[[nodiscard]] RunFigures figures_from_json(const nlohmann::ordered_json& json);

}  // namespace tessera::compare
