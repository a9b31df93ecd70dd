// SPDX-License-Identifier: Apache-2.0
// The score as tables of docs/accuracy.md and, in short form, of README.md.
#pragma once

#include <span>
#include <string>

#include "bench/accuracy/alternatives.hpp"
#include "bench/accuracy/group_scores.hpp"
#include "bench/accuracy/residues.hpp"
#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"

namespace tessera::score {

/// Returns a Markdown table: one line per group with both architectures' figures, then the means.
[[nodiscard]] std::string groups_markdown(std::span<const Row> rows,
                                          std::span<const RowScore> scores);

/// Returns a table of alternatives: one line per kind that has pairs.
[[nodiscard]] std::string alternatives_markdown(std::span<const AlternativeKind> kinds);

/// Returns a table of residues: one line per regime with both architectures' figures.
[[nodiscard]] std::string residues_markdown(std::span<const RegimeResidue> residues);

/// Returns a table of rows without a prediction: one line per reason, with the rows' groups.
[[nodiscard]] std::string unscored_markdown(std::span<const Row> rows,
                                            std::span<const RowScore> scores);

/// Returns README's table: the mean over groups of each architecture without circular groups, then
/// all alternatives together. Reads only the means in `groups`.
[[nodiscard]] std::string summary_markdown(std::span<const GroupScore> groups,
                                           std::span<const AlternativeKind> kinds);

}  // namespace tessera::score
