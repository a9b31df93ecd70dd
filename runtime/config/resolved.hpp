// SPDX-License-Identifier: Apache-2.0
// Resolved configuration: every key with its value and its origin.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/origin.hpp"

namespace tessera::config {

/// Source and range of a number of the architecture.
struct Fact {
    std::string source;                ///< "tt-metal …", or "assumed — <reason>"
    std::optional<std::string> range;  ///< "[low, high]", as written
};

/// One key of the resolved configuration.
struct ResolvedValue {
    std::string path;  ///< "ops.moe_bmm.k_block", "arch.l1.size"
    std::string text;  ///< in the form of YAML: "1464 KiB"
    std::string json;  ///< JSON: number in `unit`, list, or quoted text
    std::string unit;  ///< base unit of a quantity: "B"; empty for other values
    Origin origin;
    std::optional<Fact> fact;  ///< for numbers of the architecture
};

/// All values, in the order of the tables.
using Resolved = std::vector<ResolvedValue>;

/// Returns the value at a path, or nullptr.
[[nodiscard]] const ResolvedValue* find(const Resolved& resolved, std::string_view path);

/// Returns one line for each key: `path: text  # origin` and, for facts, `; source`; aligned.
[[nodiscard]] std::string to_text(const Resolved& resolved);

/// Returns an array of {key, value, unit?, origin, source?, range?} in the order of the tables.
[[nodiscard]] nlohmann::json to_json(const Resolved& resolved);

/// Returns the facts whose source begins with "assumed".
[[nodiscard]] std::vector<const ResolvedValue*> assumed(const Resolved& resolved);

}  // namespace tessera::config
