// SPDX-License-Identifier: Apache-2.0
// Compares several runs with the first one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "runtime/study/compare.hpp"

namespace tessera::compare {

struct AgainstBaseline {
    /// Names of the runs, the baseline first: "many.trace".
    std::vector<std::string> runs;
    /// Comparisons of each other run with the baseline, which is A.
    std::vector<Comparison> others;
};

/// Returns "A", "B", … "Z", "27" and so on: the names of runs in tables.
[[nodiscard]] std::string letter_of(std::size_t run);

/// Returns a line for each run with its time, difference, interval and verdict, then all runs'
/// times by step.
[[nodiscard]] std::string to_text(const AgainstBaseline& runs, const report::TextStyle& style);

/// Returns {schema: "tessera.baseline", version, runs[], comparisons[]}, each comparison as to_json
/// gives one.
[[nodiscard]] nlohmann::ordered_json to_json(const AgainstBaseline& runs);

/// Returns the comparison as a page: one file that needs no network.
[[nodiscard]] std::string to_html(const AgainstBaseline& runs);

}  // namespace tessera::compare
