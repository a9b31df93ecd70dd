// SPDX-License-Identifier: Apache-2.0
// A sweep as text for people.
#pragma once

#include <string>

#include "runtime/report/text_style.hpp"
#include "runtime/sweep/sweep_result.hpp"

namespace tessera::sweep {

/// The question; a row per point by rank with its time, interval, relation to the best, verdict and
/// bound; points without a time with the reason; a last line that answers.
[[nodiscard]] std::string to_text(const SweepResult& result, const report::TextStyle& style);

/// The last line alone: "best: k_block 4, 12.3 us; 1.2 times as fast as the second, …: robust".
[[nodiscard]] std::string answer_text(const SweepResult& result);

}  // namespace tessera::sweep
