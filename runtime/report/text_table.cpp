// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/text_table.hpp"

#include <algorithm>

namespace tessera::report {
namespace {

constexpr std::size_t kGap = 2;

std::size_t width_of(const Column& column) {
    std::size_t width = columns_of(column.heading);
    for (const Cell& cell : column.cells) {
        width = std::max(width, columns_of(cell.text));
    }
    return width;
}

std::size_t width_of(const std::vector<Column>& columns) {
    std::size_t width = 0;
    for (const Column& column : columns) {
        width += kGap + width_of(column);
    }
    return width;
}

// Drops the lowest ranks until the table fits or one rank is left.
void fit(std::vector<Column>& columns, std::size_t width) {
    while (width_of(columns) > width) {
        const auto [low, high] = std::ranges::minmax(columns, {}, &Column::rank);
        if (low.rank == high.rank) {
            return;
        }
        std::erase_if(columns, [rank = low.rank](const Column& c) { return c.rank == rank; });
    }
}

// Appends one line without padding after its last text.
class Line {
public:
    void add(const Cell& cell, Align align, std::size_t width, const TextStyle& style) {
        const std::size_t padding = width - columns_of(cell.text);
        pending_ += kGap + (align == Align::Right ? padding : 0);
        if (!cell.text.empty()) {
            text_ += std::string(pending_, ' ') + painted(cell.text, cell.tone, style);
            pending_ = 0;
        }
        pending_ += align == Align::Left ? padding : 0;
    }
    [[nodiscard]] std::string end() const { return text_ + "\n"; }

private:
    std::string text_;
    std::size_t pending_ = 0;
};

}  // namespace

std::string to_text(std::vector<Column> columns, const TextStyle& style) {
    fit(columns, style.width);
    std::vector<std::size_t> widths;
    Line heading;
    for (const Column& column : columns) {
        widths.push_back(width_of(column));
        heading.add({column.heading, Tone::Heading}, column.align, widths.back(), style);
    }
    std::string text = heading.end();
    const std::size_t num_rows = columns.empty() ? 0 : columns.front().cells.size();
    for (std::size_t row = 0; row < num_rows; ++row) {
        Line line;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            line.add(columns[i].cells[row], columns[i].align, widths[i], style);
        }
        text += line.end();
    }
    return text;
}

}  // namespace tessera::report
