// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/study/compare.hpp"

namespace tessera::compare {

/// Changes when a key is renamed, removed or changes its meaning; new keys do not change it.
inline constexpr int kCompareSchemaVersion = 1;

/// {schema: "tessera.compare", version, a, b, constants_moved, run{}, steps[]}, times in
/// nanoseconds. A step is {name, a, b, difference, verdict, activities[], lines[], resources[],
/// flips[]}: a and b {low, expected, high} or null, difference the same of B − A, parts
/// {name, a, b}, flips {key, value, difference}. Verdict is "equal", "robust" or "not robust".
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace tessera::compare
