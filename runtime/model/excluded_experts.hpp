// SPDX-License-Identifier: Apache-2.0
// Layers whose experts quantization_config leaves in bfloat16 by a list of modules.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera::model {

class ConfigJson;
struct MoeModel;

/// Returns the entry of the section's lists that covers the experts, by the number of the layer. An
/// entry is a name of modules, a glob, or `re:` and a regular expression that fits the start of a
/// name.
/// Errors   UsageError with the place and the value for a list of another type and an expression
///          that cannot be read.
[[nodiscard]] std::map<std::uint32_t, std::string> excluded_experts(const ConfigJson& section,
                                                                    const MoeModel& model);

}  // namespace tessera::model
