// SPDX-License-Identifier: Apache-2.0
// What a run works on, in a line and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/report/run_record.hpp"

namespace tessera::report {

/// "tokens 128, hidden 2048, …".
[[nodiscard]] std::string workload_text(const PipelineSummary& pipeline);

/// {tokens: 128, …}: whole numbers as such, all else as text.
[[nodiscard]] nlohmann::ordered_json workload_json(const PipelineSummary& pipeline);

}  // namespace tessera::report
