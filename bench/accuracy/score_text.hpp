// SPDX-License-Identifier: Apache-2.0
// Scores as text: by row, by group, and the reasons of rows without a score.
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

/// Returns one line per predicted row.
[[nodiscard]] std::string rows_text(std::span<const Row> rows, std::span<const RowScore> scores,
                                    const report::TextStyle& style);

/// Returns one line per group and architecture, then the means over groups of each architecture.
/// Circular groups are separate. Lists the groups that do not use the shipped constants.
[[nodiscard]] std::string groups_text(std::span<const Row> rows, std::span<const RowScore> scores,
                                      const report::TextStyle& style);

/// Returns one line per kind of alternative: pairs, and how many were predicted in the right order.
[[nodiscard]] std::string alternatives_text(std::span<const AlternativeKind> kinds,
                                            const report::TextStyle& style);

/// Returns one line per architecture and regime.
[[nodiscard]] std::string residues_text(std::span<const RegimeResidue> residues,
                                        const report::TextStyle& style);

/// Returns one line per reason for rows without a score, the most frequent first, with their ids on
/// request. Empty if all rows have a score.
[[nodiscard]] std::string reasons_text(std::span<const Row> rows, std::span<const RowScore> scores,
                                       RowDetail detail, const report::TextStyle& style);

/// Returns a CSV of all rows: id, group, arch, metric, unit, predicted, low, high, measured, error,
/// regime, reason.
[[nodiscard]] std::string rows_csv(std::span<const Row> rows, std::span<const RowScore> scores);

}  // namespace tessera::score
