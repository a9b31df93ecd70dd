// SPDX-License-Identifier: Apache-2.0
// Scores as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"

namespace tessera::score {

/// Increases when a key is renamed, removed or changes its meaning. New keys do not change it.
inline constexpr int kScoreSchemaVersion = 1;

/// Returns {schema: "tessera.score", version, rows[], alternatives[], residues[]}.
/// - A row is {id, group, arch, metric, unit, measured, predicted, low, high, regime,
///   host_seconds}, or has `reason` in place of a prediction.
/// - An alternative is {kind, pairs, right, robust, robust_right}.
/// - A residue is {arch, regime, rows, bias, nine_of_ten, stated}.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const Row> rows,
                                             std::span<const RowScore> scores);

}  // namespace tessera::score
