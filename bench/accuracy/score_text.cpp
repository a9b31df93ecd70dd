// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "bench/accuracy/statistics.hpp"
#include "runtime/report/text_table.hpp"

namespace tessera::score {
namespace {

using report::Align;
using report::Column;
using report::Tone;

constexpr double kPercent = 100;

/// Columns filled row by row.
class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    void add(std::vector<report::Cell> cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns_[i].cells.push_back(std::move(cells[i]));
        }
    }
    [[nodiscard]] std::string text(const report::TextStyle& style) const {
        return to_text(columns_, style);
    }

private:
    std::vector<Column> columns_;
};

std::string show_percent(double share) {
    return fmt::format("{:.1f} %", share * kPercent);
}

std::string show_figure(double figure) {
    return fmt::format("{:.5g}", figure);
}

std::string show_correlation(const std::optional<double>& correlation) {
    return correlation ? fmt::format("{:.3f}", *correlation) : "–";
}

Tone tone_of(double absolute_error) {
    return absolute_error <= kTenth ? Tone::Good : Tone::Plain;
}

/// (architecture, group): Wormhole and Blackhole apart.
using Key = std::pair<std::string, std::string>;

struct GroupScores {
    std::size_t rows = 0;
    std::vector<Pair> pairs;
};

std::map<Key, GroupScores> by_group(std::span<const Row> rows, std::span<const RowScore> scores) {
    std::map<Key, GroupScores> groups;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        GroupScores& group = groups[{rows[i].arch, rows[i].group}];
        ++group.rows;
        if (scores[i].prediction) {
            group.pairs.push_back({scores[i].prediction->expected, rows[i].value});
        }
    }
    return groups;
}

Table group_table() {
    return Table({{"architecture", Align::Left, 9, {}},
                  {"group", Align::Left, 9, {}},
                  {"rows", Align::Right, 4, {}},
                  {"scored", Align::Right, 6, {}},
                  {"mean error", Align::Right, 9, {}},
                  {"within 10 %", Align::Right, 8, {}},
                  {"rank correlation", Align::Right, 5, {}}});
}

void add_mean(Table& table, const std::string& arch, const std::vector<Statistics>& groups,
              std::size_t rows) {
    if (groups.empty()) {
        return;
    }
    Statistics mean;
    for (const Statistics& group : groups) {
        mean.count += group.count;
        mean.mean_absolute_error += group.mean_absolute_error;
        mean.share_within_tenth += group.share_within_tenth;
    }
    const auto count = static_cast<double>(groups.size());
    table.add({{arch},
               {"mean of groups"},
               {std::to_string(rows)},
               {std::to_string(mean.count)},
               {show_percent(mean.mean_absolute_error / count)},
               {show_percent(mean.share_within_tenth / count)},
               {""}});
}

/// The lines of one architecture.
void add_groups(Table& table, const std::string& arch, const std::map<Key, GroupScores>& groups) {
    std::vector<Statistics> scored;
    std::size_t rows = 0;
    for (const auto& [key, group] : groups) {
        if (key.first != arch) {
            continue;
        }
        rows += group.rows;
        const Statistics statistics = statistics_of(group.pairs);
        const bool has_any = statistics.count > 0;
        if (has_any) {
            scored.push_back(statistics);
        }
        const double error = statistics.mean_absolute_error;
        table.add({{arch},
                   {key.second},
                   {std::to_string(group.rows)},
                   {std::to_string(statistics.count)},
                   {has_any ? show_percent(error) : "–", has_any ? tone_of(error) : Tone::Plain},
                   {has_any ? show_percent(statistics.share_within_tenth) : "–"},
                   {show_correlation(statistics.rank_correlation)}});
    }
    add_mean(table, arch, scored, rows);
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) {
        return text;
    }
    std::string doubled;
    for (const char character : text) {
        doubled += character;
        if (character == '"') {
            doubled += '"';
        }
    }
    return "\"" + doubled + "\"";
}

}  // namespace

std::string rows_text(std::span<const Row> rows, std::span<const RowScore> scores,
                      const report::TextStyle& style) {
    Table table({{"row", Align::Left, 9, {}},
                 {"architecture", Align::Left, 4, {}},
                 {"predicted", Align::Right, 8, {}},
                 {"low", Align::Right, 3, {}},
                 {"high", Align::Right, 3, {}},
                 {"measured", Align::Right, 7, {}},
                 {"unit", Align::Left, 5, {}},
                 {"error", Align::Right, 9, {}}});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!scores[i].prediction) {
            continue;
        }
        const Prediction& figure = *scores[i].prediction;
        const double error = relative_error({figure.expected, rows[i].value});
        table.add({{rows[i].id},
                   {rows[i].arch},
                   {show_figure(figure.expected)},
                   {show_figure(figure.low)},
                   {show_figure(figure.high)},
                   {show_figure(rows[i].value)},
                   {rows[i].unit},
                   {fmt::format("{:+.1f} %", error * kPercent), tone_of(std::abs(error))}});
    }
    return table.text(style);
}

std::string groups_text(std::span<const Row> rows, std::span<const RowScore> scores,
                        const report::TextStyle& style) {
    const std::map<Key, GroupScores> groups = by_group(rows, scores);
    Table table = group_table();
    for (const char* arch : {"wormhole", "blackhole"}) {
        add_groups(table, arch, groups);
    }
    return table.text(style);
}

std::string reasons_text(std::span<const Row> rows, std::span<const RowScore> scores,
                         RowDetail detail, const report::TextStyle& style) {
    std::map<std::string, std::vector<std::string>> ids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!scores[i].prediction) {
            ids[scores[i].reason].push_back(rows[i].id);
        }
    }
    if (ids.empty()) {
        return "";
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons(ids.begin(), ids.end());
    std::ranges::stable_sort(reasons, std::ranges::greater(),
                             [](const auto& reason) { return reason.second.size(); });
    Table table({{"not scored", Align::Right, 9, {}},
                 {"reason", Align::Left, 9, {}},
                 {detail == RowDetail::Rows ? "rows" : "first row", Align::Left, 8, {}}});
    for (const auto& [reason, rows_of_it] : reasons) {
        table.add({{std::to_string(rows_of_it.size())},
                   {reason},
                   {detail == RowDetail::Rows ? fmt::format("{}", fmt::join(rows_of_it, " "))
                                              : rows_of_it.front()}});
    }
    return table.text(style);
}

std::string rows_csv(std::span<const Row> rows, std::span<const RowScore> scores) {
    std::string text = "id,group,arch,metric,unit,predicted,low,high,measured,error,reason\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        text += fmt::format("{},{},{},{},{},", quoted(row.id), quoted(row.group), row.arch,
                            quoted(row.metric), quoted(row.unit));
        if (const auto& figure = scores[i].prediction) {
            text +=
                fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.4f},\n", figure->expected, figure->low,
                            figure->high, row.value, relative_error({figure->expected, row.value}));
        } else {
            text += fmt::format(",,,{:.6g},,{}\n", row.value, quoted(scores[i].reason));
        }
    }
    return text;
}

}  // namespace tessera::score
