// SPDX-License-Identifier: Apache-2.0
// Writes tables of text, with columns aligned and fitted to a width.
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
    /// Columns with the lowest rank are dropped first if a table is too wide; the highest rank
    /// stays.
    std::uint32_t rank = 0;
    std::vector<Cell> cells;  ///< one per row
};

/// Returns a heading line and one line per row, with two spaces between columns and before the
/// first; lines do not end in spaces. Columns of the highest rank stay even if they exceed the
/// width.
[[nodiscard]] std::string to_text(std::vector<Column> columns, const TextStyle& style);

}  // namespace tessera::report
