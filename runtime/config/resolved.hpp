// SPDX-License-Identifier: Apache-2.0
// The resolved configuration: every key with its value and where it came from.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/fields/origin.hpp"

namespace tessera::config {

/// What is known of a number beside its value.
struct Fact {
    std::string source;                ///< "tt-metal …", or "assumed — <reason>"
    std::optional<std::string> range;  ///< "[low, high]", as written
};

struct ResolvedValue {
    std::string path;  ///< "ops.moe_bmm.k_block", "arch.l1.size"
    std::string text;  ///< as YAML would have it: "1464 KiB"
    std::string json;  ///< as JSON: number in `unit`, list, or quoted text
    std::string unit;  ///< base unit of a quantity: "B"; empty for others
    Origin origin;
    std::optional<Fact> fact;  ///< of numbers of the architecture
};

/// All values, in the order of the tables.
using Resolved = std::vector<ResolvedValue>;

/// The value at a path, or nullptr.
[[nodiscard]] const ResolvedValue* find(const Resolved& resolved, std::string_view path);

/// One line per key: `path: text  # origin` and, for facts, `; source`. Aligned.
[[nodiscard]] std::string to_text(const Resolved& resolved);

/// An array of {key, value, unit?, origin, source?, range?} in the order of the tables.
[[nodiscard]] nlohmann::json to_json(const Resolved& resolved);

/// Facts whose source begins with "assumed".
[[nodiscard]] std::vector<const ResolvedValue*> assumed(const Resolved& resolved);

}  // namespace tessera::config
