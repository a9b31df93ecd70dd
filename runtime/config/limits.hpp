// SPDX-License-Identifier: Apache-2.0
// Checks a bound number against its field's limits, and returns its resolved form.
#pragma once

#include <optional>
#include <string>

#include "emu/base/fields/field.hpp"
#include "runtime/config/resolved.hpp"

namespace tessera::config {

/// Returns a Mistake if a number of the field's member in `object` (for a pair or list: any number)
/// is outside the field's limits. `node` is the position from which the member was read.
[[nodiscard]] std::optional<Mistake> check_limits(const Field& field, const Node& node,
                                                  const void* object);

/// Returns "1 to 64", "1 or more", "0 to 112, a multiple of 16", "8, 16 or 32"; empty without limits.
[[nodiscard]] std::string show_limits(const Limits& limits);

/// Returns the resolved value of the field's member in `object`, as bound from `node` at `path`.
[[nodiscard]] ResolvedValue resolve(const Field& field, const Node& node, const void* object,
                                    const std::string& path);

}  // namespace tessera::config
