// SPDX-License-Identifier: Apache-2.0
// Predicts rows of measurements, several at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/accuracy/prediction.hpp"
#include "bench/accuracy/row.hpp"
#include "runtime/ranks/rank_link.hpp"

namespace tessera::score {

class Models;

/// Result of scoring a row.
struct RowScore {
    std::optional<Prediction> prediction;
    std::string reason;  ///< reason if there is no prediction
    double host_seconds = 0;
};

/// Rows without a prediction that have the same reason.
struct Unscored {
    std::string reason;
    std::vector<std::size_t> rows;  ///< indices, ascending
};
/// Returns them with the most frequent reason first.
[[nodiscard]] std::vector<Unscored> unscored_rows(std::span<const RowScore> scores);

struct ScoreOptions {
    std::uint32_t threads = 1;  ///< rows scored in parallel
    /// Called when a row is done, from any thread but never concurrently.
    std::function<void(std::size_t num_done)> on_done;
    ranks::RankLink* link = nullptr;  ///< ranks that share the rows; null: this process alone
};

/// Returns one score per row, in order. The result does not depend on the number of threads or
/// ranks.
[[nodiscard]] std::vector<RowScore> score_rows(std::span<const Row> rows, Models& models,
                                               const ScoreOptions& options);

}  // namespace tessera::score
