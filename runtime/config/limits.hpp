// SPDX-License-Identifier: Apache-2.0
// The check of a bound number against its field's limits, and its resolved form.
#pragma once

#include <optional>
#include <string>

#include "emu/base/fields/field.hpp"
#include "runtime/config/resolved.hpp"

namespace tessera::config {

/// A Mistake if a number of the field's member in `object` (of a pair or list: any of them) lies
/// outside the field's limits. `node` is where the member was read.
[[nodiscard]] std::optional<Mistake> check_limits(const Field& field, const Node& node,
                                                  const void* object);

/// "1 to 64", "1 or more", "64 or less"; empty without limits.
[[nodiscard]] std::string show_limits(const Limits& limits);

/// The field's member in `object`, as bound from `node` at `path`.
[[nodiscard]] ResolvedValue resolve(const Field& field, const Node& node, const void* object,
                                    const std::string& path);

}  // namespace tessera::config
