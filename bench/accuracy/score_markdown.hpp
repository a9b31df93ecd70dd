// SPDX-License-Identifier: Apache-2.0
// The score as the tables of docs/accuracy.md and, in short, of README.md.
#pragma once

#include <span>
#include <string>

#include "bench/accuracy/alternatives.hpp"
#include "bench/accuracy/group_scores.hpp"
#include "bench/accuracy/residues.hpp"
#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"

namespace tessera::score {

/// A table in Markdown: a line for each group with both architectures' figures, then the means.
[[nodiscard]] std::string groups_markdown(std::span<const Row> rows,
                                          std::span<const RowScore> scores);

/// The same of alternatives: a line for each kind, none without pairs.
[[nodiscard]] std::string alternatives_markdown(std::span<const AlternativeKind> kinds);

/// The same of residues: a line for each regime with both architectures' figures.
[[nodiscard]] std::string residues_markdown(std::span<const RegimeResidue> residues);

/// README's table: the mean of groups of each architecture, circular groups left out, then all
/// alternatives together. Of `groups` it reads the means alone.
[[nodiscard]] std::string summary_markdown(std::span<const GroupScore> groups,
                                           std::span<const AlternativeKind> kinds);

}  // namespace tessera::score
