// SPDX-License-Identifier: Apache-2.0
// A run as text for people: steps, cores, verdict.
#pragma once

#include <string>

#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::report {

/// "moe_v2: 128 tokens, …": what ran, on what.
[[nodiscard]] std::string title_text(const RunRecord& record, const TextStyle& style);
/// One row per step.
[[nodiscard]] std::string steps_text(const RunRecord& record, const TextStyle& style);
/// Figures of the cores over the whole run, over all devices, by device, and as maps.
[[nodiscard]] std::string cores_text(const RunRecord& record, const TextStyle& style);
/// The last line: "PASS …", or "FAIL" with what failed; "DONE" if nothing was verified.
[[nodiscard]] std::string verdict_text(const RunRecord& record, const TextStyle& style);

/// All of it, in this order.
[[nodiscard]] std::string to_text(const RunRecord& record, const TextStyle& style);

}  // namespace tessera::report
