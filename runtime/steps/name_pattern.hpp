// SPDX-License-Identifier: Apache-2.0
// Names of steps and tensors with `*`, as `report:` of a run file selects them.
#pragma once

#include <string_view>

namespace tessera::pipeline {

/// Returns whether a name exists that both patterns match. `*` matches any letters, also none; a
/// name without `*` is the pattern of itself.
[[nodiscard]] bool patterns_overlap(std::string_view a, std::string_view b);

}  // namespace tessera::pipeline
