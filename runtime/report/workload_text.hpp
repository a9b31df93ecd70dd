// SPDX-License-Identifier: Apache-2.0
// Writes the workload of a run in a line and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/report/run_record.hpp"

namespace tessera::report {

/// Returns "tokens 128, hidden 2048": the first `most` values, and the number of those left out.
[[nodiscard]] std::string workload_text(const PipelineSummary& pipeline,
                                        std::size_t most = SIZE_MAX);

/// Returns {tokens: 128, …}: whole numbers as numbers, other values as text.
[[nodiscard]] nlohmann::ordered_json workload_json(const PipelineSummary& pipeline);

}  // namespace tessera::report
