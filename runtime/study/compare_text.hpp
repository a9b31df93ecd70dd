// SPDX-License-Identifier: Apache-2.0
// A comparison as text for people.
#pragma once

#include <string>

#include "runtime/report/text_style.hpp"
#include "runtime/study/compare.hpp"

namespace tessera::compare {

/// The runs, a row per step with both times, their difference, its interval and verdict; the parts
/// of the critical path that make the difference of the run; a last line with the verdict.
/// Times are cycles, or us where the clocks differ.
[[nodiscard]] std::string to_text(const Comparison& comparison, const report::TextStyle& style);

/// The last line alone: "B is 1.50 times as fast as A (…): robust".
[[nodiscard]] std::string verdict_text(const Comparison& comparison,
                                       const report::TextStyle& style);

}  // namespace tessera::compare
