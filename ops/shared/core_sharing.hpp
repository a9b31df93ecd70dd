// SPDX-License-Identifier: Apache-2.0
// When a schedule may choose that cores share a unit of work and send to each other.
#pragma once

#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// Returns whether a schedule may choose that cores send to each other. A step with a stated grid
/// may be moved (`first_core`), which such a program cannot be: its cores share work only if asked
/// to.
[[nodiscard]] constexpr bool may_choose_sharing(GridSize grid) {
    return grid == GridSize{};
}

}  // namespace tessera::ops
