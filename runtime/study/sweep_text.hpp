// SPDX-License-Identifier: Apache-2.0
// Writes a sweep as text for people.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// Returns the question; a row per point by rank with its time, interval, relation to the best,
/// verdict and bound; points without a time with the reason; last, the answers.
[[nodiscard]] std::string to_text(const SweepResult& result, const report::TextStyle& style);

/// Returns one line for each case: "tokens 64: best: k_block 4, 12.300 us; k_block 2 takes 1.20
/// times as long (robust: 97 % of 256 pairs); the slowest, k_block 1, takes 1.80 times as long
/// (robust: 100 % of 256 pairs)". A case without times has none; a sweep without times has "no
/// point has a time".
[[nodiscard]] std::vector<std::string> answers(const SweepResult& result);
/// Returns answers() as text.
[[nodiscard]] std::string answer_text(const SweepResult& result);
/// Returns the number of timed points of an interrupted sweep as text, without a line end.
[[nodiscard]] std::string interrupted_text(const SweepResult& result);

}  // namespace tessera::sweep
