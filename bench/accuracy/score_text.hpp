// SPDX-License-Identifier: Apache-2.0
// Scores as text: by row, by group, and what could not be scored.
#pragma once

#include <span>
#include <string>

#include "bench/accuracy/alternatives.hpp"
#include "bench/accuracy/residues.hpp"
#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::score {

enum class RowDetail : std::uint8_t { Groups, Rows };

/// A line for each row that was predicted.
[[nodiscard]] std::string rows_text(std::span<const Row> rows, std::span<const RowScore> scores,
                                    const report::TextStyle& style);

/// A line for each group and architecture, then the means over groups of each architecture, those
/// that are circular apart, and what groups rest on where it is not what users get.
[[nodiscard]] std::string groups_text(std::span<const Row> rows, std::span<const RowScore> scores,
                                      const report::TextStyle& style);

/// A line for each kind of alternative: pairs, and how many were predicted in the right order.
[[nodiscard]] std::string alternatives_text(std::span<const AlternativeKind> kinds,
                                            const report::TextStyle& style);

/// A line for each architecture and regime.
[[nodiscard]] std::string residues_text(std::span<const RegimeResidue> residues,
                                        const report::TextStyle& style);

/// A line for each reason why rows were not scored, the most frequent first, with their ids if
/// asked for; empty if all were.
[[nodiscard]] std::string reasons_text(std::span<const Row> rows, std::span<const RowScore> scores,
                                       RowDetail detail, const report::TextStyle& style);

/// CSV of all rows: id, group, arch, metric, unit, predicted, low, high, measured, error, regime,
/// reason.
[[nodiscard]] std::string rows_csv(std::span<const Row> rows, std::span<const RowScore> scores);

}  // namespace tessera::score
