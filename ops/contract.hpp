// SPDX-License-Identifier: Apache-2.0
// Holds operands against what an op's spec says of them in words: "(T, H)", "BFLOAT16 | FLOAT32".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/op.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Extents by symbol: "E/D" is bound as a whole where E and D are not known.
class ShapeSymbols {
public:
    /// Matches extents with "(E/D, T, H_in)". Unbound symbols take the extent; bound symbols,
    /// products and quotients must equal it. "..." among the terms takes the remaining extents, the
    /// same in all expressions: "(..., M, N)" is a stack of matrices. "any" matches every shape
    /// with an element; no expression matches a shape without one.
    /// @returns on a mismatch, the required shape with the bound symbols' values: "(16,128,H_in)".
    [[nodiscard]] std::optional<std::string> match(std::string_view expression, const Shape& shape);
    [[nodiscard]] std::optional<std::uint64_t> value(std::string_view term) const;

private:
    /// Returns whether `term` is `extent`; binds it where it is not known.
    bool gives(std::string_view term, std::uint32_t extent);
    bool gives_others(const Shape& extents);
    [[nodiscard]] std::string show(std::string_view expression) const;

    std::vector<std::pair<std::string, std::uint64_t>> values_;
    std::optional<Shape> others_;  ///< value of "..."
};

/// Checks operands against the spec's contract: number, shape, format, layout, interleaved.
/// @returns whether all hold.
bool check_contract(const Op& op, const OpContext& context, RuleJudge& judge);

}  // namespace tessera::ops
