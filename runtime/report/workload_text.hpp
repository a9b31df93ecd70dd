// SPDX-License-Identifier: Apache-2.0
// Writes the workload of a run in a line and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/report/run_record.hpp"

namespace tessera::report {

/// Returns "tokens 128, hidden 2048, …".
[[nodiscard]] std::string workload_text(const PipelineSummary& pipeline);

/// Returns {tokens: 128, …}: whole numbers as numbers, other values as text.
[[nodiscard]] nlohmann::ordered_json workload_json(const PipelineSummary& pipeline);

}  // namespace tessera::report
