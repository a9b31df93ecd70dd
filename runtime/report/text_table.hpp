// SPDX-License-Identifier: Apache-2.0
// Columns of text, aligned and fitted to a width.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"

namespace tessera::report {

enum class Align : std::uint8_t { Left, Right };

struct Cell {
    std::string text;
    Tone tone = Tone::Plain;
};

struct Column {
    std::string heading;
    Align align = Align::Left;
    /// Where a table is too wide, columns go, those with the lowest rank first; the highest stay.
    std::uint32_t rank = 0;
    std::vector<Cell> cells;  ///< one per row
};

/// A heading line and one line per row, two spaces between columns and before the first; lines do
/// not end in spaces. Columns of the highest rank stay even if they are wider than the style.
[[nodiscard]] std::string to_text(std::vector<Column> columns, const TextStyle& style);

}  // namespace tessera::report
