// SPDX-License-Identifier: Apache-2.0
// A run as text for people: steps, cores, verdict.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::report {

/// "moe_v2: 128 tokens, …": what ran, on what.
[[nodiscard]] std::string title_text(const RunRecord& record, const TextStyle& style);
/// A line that names tensors of the file of inputs that the run does not read; empty if there are
/// none. It is part of the title.
[[nodiscard]] std::string unread_text(const RunRecord& record);
/// One row per step.
[[nodiscard]] std::string steps_text(const RunRecord& record, const TextStyle& style);
/// Figures of the cores over the whole run, over all devices, by device, and as maps.
[[nodiscard]] std::string cores_text(const RunRecord& record, const TextStyle& style);
/// The last line: "PASS …", or "FAIL" with what failed; "DONE" if nothing was verified. Before it a
/// line of each tensor that has NaN, and before a FAIL one for each step that failed: of both the
/// first `limit`.
[[nodiscard]] std::string verdict_text(const RunRecord& record, const TextStyle& style,
                                       std::size_t limit = std::numeric_limits<std::size_t>::max());
/// Parameters of each step's op that choose its schedule, a line for each step: "gate  schedule
/// multi_core, k_block 4, subblock [1, 4]".
[[nodiscard]] std::string parameters_text(const RunRecord& record, const TextStyle& style);

/// All of it, in this order.
[[nodiscard]] std::string to_text(const RunRecord& record, const TextStyle& style);

}  // namespace tessera::report
