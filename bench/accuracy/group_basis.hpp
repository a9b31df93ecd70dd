// SPDX-License-Identifier: Apache-2.0
// What a group's figures rest on beside the shipped constants and the program of its rows.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::score {

enum class Basis : std::uint8_t {
    Program,  ///< the row's program runs, under the constants that users get
    Changed,  ///< it runs under others: `what` says which
    Circular  ///< a formula, or constants that were read from these very rows
};

struct GroupBasis {
    Basis basis = Basis::Program;
    std::string_view what{};
};

/// Basis::Program for groups that the table does not name.
[[nodiscard]] GroupBasis basis_of(std::string_view group) noexcept;

/// "", "changed" or "circular".
[[nodiscard]] std::string_view name_of(Basis basis) noexcept;

}  // namespace tessera::score
