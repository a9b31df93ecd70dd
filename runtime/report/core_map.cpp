// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/core_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::report {
namespace {

constexpr std::size_t kRowLabel = 6;  // "  y 0 "
constexpr std::size_t kCell = 4;      // " 100"
constexpr std::size_t kBetween = 2;

std::string cell_text(double share) {
    return share == 0 ? fmt::format("{:>4}", ".") : fmt::format("{:4d}", std::lround(share * 100));
}

std::vector<std::string> lines_of(const std::string& block) {
    std::vector<std::string> lines;
    std::istringstream stream(block);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// Returns columns on the terminal; colours do not count.
std::size_t visible_columns(const std::string& line) {
    std::string text;
    bool is_in_colour = false;
    for (const char letter : line) {
        is_in_colour = is_in_colour || letter == '\033';
        if (!is_in_colour) {
            text += letter;
        } else if (letter == 'm') {
            is_in_colour = false;
        }
    }
    return columns_of(text);
}

std::string join_row(std::span<const std::vector<std::string>> blocks, std::size_t block_width) {
    std::string text;
    for (std::size_t line = 0; line < blocks.front().size(); ++line) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const std::string& part = blocks[i][line];
            const bool is_last = i + 1 == blocks.size();
            const std::size_t padding =
                is_last ? 0 : block_width - visible_columns(part) + kBetween;
            text += part + std::string(padding, ' ');
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::vector<double> mean_over_devices(std::span<const double> shares, GridSize grid) {
    const std::size_t num_cores = std::size_t{grid.columns} * grid.rows;
    const std::size_t num_devices = shares.size() / num_cores;
    std::vector<double> means(num_cores);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        means[i % num_cores] += shares[i] / static_cast<double>(num_devices);
    }
    return means;
}

std::size_t core_map_width(GridSize grid) noexcept {
    return kRowLabel + kCell * grid.columns;
}

std::string draw_core_map(const std::string& title, std::span<const double> shares, GridSize grid,
                          const TextStyle& style) {
    std::string text = fmt::format("  {}\n{:{}}", title, "", kRowLabel);
    for (std::uint32_t x = 0; x < grid.columns; ++x) {
        text += fmt::format("{:>4}", fmt::format("x{}", x));
    }
    text += "\n";
    for (std::uint32_t y = 0; y < grid.rows; ++y) {
        text += fmt::format("  {:<4}", fmt::format("y{}", y));
        for (std::uint32_t x = 0; x < grid.columns; ++x) {
            const double share = shares[std::size_t{y} * grid.columns + x];
            text += heated(cell_text(share), share, style);
        }
        text += "\n";
    }
    return text;
}

std::string side_by_side(std::span<const std::string> blocks, std::size_t block_width,
                         const TextStyle& style) {
    constexpr std::size_t kPipeWidth = 160;  // a pipe has no width of its own
    const std::size_t width = std::min(style.width, kPipeWidth);
    const std::size_t in_a_row =
        std::max<std::size_t>(1, (width + kBetween) / (block_width + kBetween));
    std::string text;
    for (std::size_t first = 0; first < blocks.size(); first += in_a_row) {
        std::vector<std::vector<std::string>> row;
        for (std::size_t i = first; i < std::min(blocks.size(), first + in_a_row); ++i) {
            row.push_back(lines_of(blocks[i]));
        }
        text += (first == 0 ? "" : "\n") + join_row(row, block_width);
    }
    return text;
}

}  // namespace tessera::report
