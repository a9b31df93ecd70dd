// SPDX-License-Identifier: Apache-2.0
// What a run works on, in a line and as JSON, by its pipeline.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tessera/run_spec.hpp"

namespace tessera::report {

/// "128 tokens × hidden 2048, 128 experts of 768, top 8", "exp of (20,32) bfloat16 in dram", ….
[[nodiscard]] std::string workload_text(const RunSpec& run);

/// The extents: of a MoE layer {tokens, hidden, intermediate, experts, top_k}, of one op
/// {pipeline, …} with the words of the run file.
[[nodiscard]] nlohmann::ordered_json workload_json(const RunSpec& run);

}  // namespace tessera::report
