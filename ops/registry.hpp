// SPDX-License-Identifier: Apache-2.0
// The table of all ops.
#pragma once

#include <span>
#include <string_view>

#include "ops/op_spec.hpp"

namespace tessera::ops {

/// All ops, sorted by name.
[[nodiscard]] std::span<const OpSpec> all_ops() noexcept;

/// The op called `name`, or null.
[[nodiscard]] const OpSpec* find_op(std::string_view name) noexcept;

}  // namespace tessera::ops
