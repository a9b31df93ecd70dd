// SPDX-License-Identifier: Apache-2.0
// Several runs, each set against the first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "runtime/study/compare.hpp"

namespace tessera::compare {

struct AgainstBaseline {
    /// What the caller names each by, the baseline first: "many.trace".
    std::vector<std::string> runs;
    /// Of each other run with the baseline, which is A.
    std::vector<Comparison> others;
};

/// Returns "A", "B", … "Z", "27" and so on: how tables call the runs.
[[nodiscard]] std::string letter_of(std::size_t run);

/// A line for each run with its time, difference, interval and verdict, then all runs' times by
/// step.
[[nodiscard]] std::string to_text(const AgainstBaseline& runs, const report::TextStyle& style);

/// Returns {schema: "tessera.baseline", version, runs[], comparisons[]}, each comparison as to_json gives
/// one.
[[nodiscard]] nlohmann::ordered_json to_json(const AgainstBaseline& runs);

/// The same as a page: one file that needs no network.
[[nodiscard]] std::string to_html(const AgainstBaseline& runs);

}  // namespace tessera::compare
