// SPDX-License-Identifier: Apache-2.0
// Writes a run as text for people: steps, cores, verdict.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::report {

/// Returns "moe_v2: 128 tokens, …": the workload and the machine.
[[nodiscard]] std::string title_text(const RunRecord& record, const TextStyle& style);
/// Returns a line with the tensors of the file of inputs that the run does not read; empty if there
/// are none. It is part of the title.
[[nodiscard]] std::string unread_text(const RunRecord& record);
/// Returns one row per step.
[[nodiscard]] std::string steps_text(const RunRecord& record, const TextStyle& style);
/// Returns figures of the cores over the whole run: over all devices, by device, and as maps.
[[nodiscard]] std::string cores_text(const RunRecord& record, const TextStyle& style);
/// Returns "drawn, since no values are computed: logits; kernels choose by them", with at most
/// `limit` names; empty if a run drew no tensor.
[[nodiscard]] std::string drawn_text(std::span<const std::string> drawn,
                                     std::size_t limit = std::numeric_limits<std::size_t>::max());
/// Returns the line of drawn tensors, and a line for each tensor with NaN and each line of a kernel
/// that a chip tolerates, at most `limit` of each.
[[nodiscard]] std::string notes_text(const RunRecord& record, std::size_t limit);
/// Returns the last line: "PASS …", "FAIL" with the failed steps, or "DONE" if nothing was
/// verified. Lines before it are the notes and each failed step, at most `limit` of each.
[[nodiscard]] std::string verdict_text(const RunRecord& record, const TextStyle& style,
                                       std::size_t limit = std::numeric_limits<std::size_t>::max());
/// Returns the parameters that choose each step's schedule, a line for each step: "gate  schedule
/// multi_core, k_block 4, subblock [1, 4]".
[[nodiscard]] std::string parameters_text(const RunRecord& record, const TextStyle& style);

/// Returns all of the above, in this order.
[[nodiscard]] std::string to_text(const RunRecord& record, const TextStyle& style);

}  // namespace tessera::report
