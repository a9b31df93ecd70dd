// SPDX-License-Identifier: Apache-2.0
// Assumptions behind the score of a group, beyond the shipped constants and the rows' program.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::score {

enum class Basis : std::uint8_t {
    Program,  ///< runs the row's program under the shipped constants
    Changed,  ///< runs it under other constants, which `what` names
    Circular  ///< uses a formula, or constants that were taken from these rows
};

struct GroupBasis {
    Basis basis = Basis::Program;
    std::string_view what{};
};

/// Returns the basis of a group; Basis::Program for groups that the table does not name.
[[nodiscard]] GroupBasis basis_of(std::string_view group) noexcept;

/// Returns "", "changed" or "circular".
[[nodiscard]] std::string_view name_of(Basis basis) noexcept;

}  // namespace tessera::score
