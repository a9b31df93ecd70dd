// SPDX-License-Identifier: Apache-2.0
// The table of all ops of the tree; its rows are listed in ops/CMakeLists.txt.
#pragma once

#include <span>
#include <string_view>

#include "ops/op.hpp"

namespace tessera::ops {

/// Returns all ops, sorted by name.
[[nodiscard]] std::span<const Op* const> all_ops();

/// Returns the op called `name`, or null.
[[nodiscard]] const Op* find_op(std::string_view name);

}  // namespace tessera::ops
