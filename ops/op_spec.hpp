// SPDX-License-Identifier: Apache-2.0
// What an op is, as data: what `tessera list ops` shows and what verification compares against.
#pragma once

#include <span>
#include <string_view>

namespace tessera::ops {

/// One tensor that an op takes or gives, in the words of its documentation.
struct Operand {
    std::string_view name;    ///< "num_routed_tokens"
    std::string_view shape;   ///< "(E/D,1)"
    std::string_view format;  ///< "uint32"; several are joined by " | "
    std::string_view layout;  ///< "ROW_MAJOR" or "TILE"
};

/// How far a result may be from the op's reference with the default number formats. The error of
/// an element is |result − reference| / max(|reference|, rms of the reference).
struct Tolerance {
    double max_relative_error = 0;  ///< 0: every element equal
    double min_pcc = 1;
};

/// Every element equal: integers and pure data movement.
inline constexpr Tolerance kExact{};

/// One row of the table of ops. Arrays behind the spans live as long as the program.
struct OpSpec {
    std::string_view name;                        ///< also the op's folder and namespace
    std::string_view summary;                     ///< one line
    std::span<const std::string_view> schedules;  ///< as YAML names them; at least one
    std::span<const Operand> inputs;
    std::span<const Operand> outputs;
    Tolerance tolerance;
};

}  // namespace tessera::ops
