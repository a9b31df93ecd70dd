// SPDX-License-Identifier: Apache-2.0
// One command prints the tables of docs/accuracy.md and README.md, but takes too long for a test.
// This test checks that the tables agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/accuracy/group_basis.hpp"
#include "bench/accuracy/score_markdown.hpp"

namespace tessera::score {
namespace {

std::string text_of(const std::string& file) {
    std::ifstream stream(std::string(TESSERA_SOURCE_DIR) + "/" + file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Returns the lines between "<!-- NAME -->" and its end marker.
std::string table_of(const std::string& page, const std::string& name) {
    const std::string begin = "<!-- " + name + " -->\n";
    const std::size_t first = page.find(begin);
    const std::size_t end = page.find("<!-- /" + name + " -->", first);
    EXPECT_NE(end, std::string::npos) << name;
    return page.substr(first + begin.size(), end - first - begin.size());
}

/// Returns the cells of the table's lines, without headings and rules.
std::vector<std::vector<std::string>> cells_of(const std::string& table) {
    std::vector<std::vector<std::string>> lines;
    std::istringstream stream(table);
    for (std::string line; std::getline(stream, line);) {
        std::vector<std::string> cells;
        std::istringstream parts(line.substr(line.empty() ? 0 : 1));
        for (std::string cell; std::getline(parts, cell, '|');) {
            const bool is_blank = cell.find_first_not_of(' ') == std::string::npos;
            cells.push_back(is_blank ? "" : cell.substr(1, cell.size() - 2));
        }
        lines.push_back(std::move(cells));
    }
    return lines;
}

/// Parses "4 of 5, 3.5 % (+1.2), 75 %, 80 %"; any other cell gives a count of 0.
GroupScore score_of(const std::string& arch, const std::string& name, const std::string& cell) {
    GroupScore score{.arch = arch, .name = name};
    Statistics& figures = score.statistics;
    double error = 0;
    double bias = 0;
    double within = 0;
    double covered = 0;
    if (std::sscanf(cell.c_str(), "%zu of %zu, %lf %% (%lf), %lf %%, %lf %%", &figures.count,
                    &score.rows, &error, &bias, &within, &covered) == 6) {
        figures.mean_absolute_error = error / 100;
        figures.bias = bias / 100;
        figures.share_within_tenth = within / 100;
        figures.share_covered = covered / 100;
    }
    return score;
}

/// Returns lines of groups by architecture, Wormhole first: "`gemm`", or "**mean of groups**".
std::vector<GroupScore> groups_of(const std::string& page) {
    std::vector<GroupScore> groups;
    for (const std::size_t column : {2, 3}) {
        for (const auto& cells : cells_of(table_of(page, "score-table"))) {
            if (cells.size() == 4 && (cells[0].starts_with('`') || cells[0].starts_with('*'))) {
                const std::size_t quote = cells[0].starts_with('`') ? 1 : 2;
                groups.push_back(score_of(column == 2 ? "wormhole" : "blackhole",
                                          cells[0].substr(quote, cells[0].size() - 2 * quote),
                                          cells[column]));
            }
        }
    }
    return groups;
}

std::size_t part_of(const std::string& share, std::size_t whole) {
    return share == "–" ? 0
                        : static_cast<std::size_t>(
                              std::lround(std::stod(share) / 100 * static_cast<double>(whole)));
}

std::vector<AlternativeKind> kinds_of(const std::string& page) {
    std::vector<AlternativeKind> kinds;
    for (const auto& cells : cells_of(table_of(page, "score-alternatives"))) {
        if (cells.size() == 5 && std::isdigit(cells[1].front()) != 0) {
            const std::size_t pairs = std::stoul(cells[1]);
            const std::size_t robust = std::stoul(cells[3]);
            kinds.push_back({.name = cells[0],
                             .num_pairs = pairs,
                             .num_right = part_of(cells[2], pairs),
                             .num_robust = robust,
                             .num_robust_right = part_of(cells[4], robust)});
        }
    }
    return kinds;
}

/// Parses "314, -1.3 %, 1.12 (1.12)" in lines of regimes; skips other cells.
std::vector<RegimeResidue> residues_of(const std::string& page) {
    std::vector<RegimeResidue> residues;
    for (const auto& cells : cells_of(table_of(page, "score-bounds"))) {
        for (std::size_t i = 1; i < cells.size() && cells.size() == 3; ++i) {
            RegimeResidue residue{.arch = i == 1 ? "wormhole" : "blackhole"};
            if (std::sscanf(cells[i].c_str(), "%zu, %lf %%, %lf (%lf)", &residue.count,
                            &residue.bias, &residue.nine_of_ten, &residue.stated) == 4) {
                residues.push_back(residue);
            }
        }
    }
    return residues;
}

TEST(ScorePages, ReadmesTableIsThatOfTheAccuracyPageInShort) {
    const std::string accuracy = text_of("docs/accuracy.md");

    EXPECT_EQ(table_of(text_of("README.md"), "score-summary"),
              summary_markdown(groups_of(accuracy), kinds_of(accuracy)))
        << "copy the last tables of tessera score --table";
}

// The page rounds errors to 0.1 %, so a mean of rounded figures has at most this error.
TEST(ScorePages, MeansOfTheAccuracyPageAreThoseOfItsLines) {
    const std::vector<GroupScore> groups = groups_of(text_of("docs/accuracy.md"));

    for (const char* arch : {"wormhole", "blackhole"}) {
        double sum = 0;
        double count = 0;
        double mean = -1;
        for (const GroupScore& group : groups) {
            const double error = group.statistics.mean_absolute_error;
            if (group.arch != arch || group.statistics.count == 0) {
                continue;
            }
            mean = group.name == kMeanOfGroups ? error : mean;
            if (!group.name.starts_with("mean of") &&
                basis_of(group.name).basis != Basis::Circular) {
                sum += error;
                ++count;
            }
        }
        EXPECT_NEAR(mean, sum / count, 0.0011) << arch;
    }
}

// Both are rounded to 0.01. A file may state a larger error than the one found from few patterns.
TEST(ScorePages, DeviceFilesStateNoNarrowerErrorsThanWereFound) {
    constexpr std::size_t kEnough = 20;  // fewer rows are not representative
    std::size_t held = 0;
    for (const RegimeResidue& residue : residues_of(text_of("docs/accuracy.md"))) {
        if (residue.count >= kEnough) {
            EXPECT_GE(residue.stated, residue.nine_of_ten - 0.015) << residue.arch;
            EXPECT_LE(residue.stated, residue.nine_of_ten + 0.15) << residue.arch;
            ++held;
        }
    }
    EXPECT_GE(held, 12U);
}

}  // namespace
}  // namespace tessera::score
