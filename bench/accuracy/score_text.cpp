// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "bench/accuracy/group_basis.hpp"
#include "bench/accuracy/statistics.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/study/compare.hpp"

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

std::string show_signed_percent(double share) {
    return fmt::format("{:+.1f} %", share * kPercent);
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
        if (const auto& figure = scores[i].prediction) {
            group.pairs.push_back({figure->expected, rows[i].value, figure->low, figure->high});
        }
    }
    return groups;
}

Table group_table() {
    return Table({{"architecture", Align::Left, 9, {}},
                  {"group", Align::Left, 9, {}},
                  {"rows", Align::Right, 4, {}},
                  {"scored", Align::Right, 6, {}},
                  {"share", Align::Right, 8, {}},
                  {"mean error", Align::Right, 9, {}},
                  {"bias", Align::Right, 6, {}},
                  {"within 10 %", Align::Right, 8, {}},
                  {"of all rows", Align::Right, 8, {}},
                  {"covered", Align::Right, 7, {}},
                  {"rank correlation", Align::Right, 5, {}},
                  {"constants", Align::Left, 6, {}}});
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Rows within 10 % over all rows: one that is not scored is a miss.
double within_of_all(const Statistics& statistics, std::size_t rows) {
    return statistics.share_within_tenth * share(statistics.count, rows);
}

Tone tone_of_coverage(double covered) {
    return covered >= kCoverageGoal ? Tone::Good : Tone::Bad;
}

void add_group(Table& table, const Key& key, const GroupScores& group,
               const Statistics& statistics) {
    const std::string basis(name_of(basis_of(key.second).basis));
    if (statistics.count == 0) {
        const report::Cell none{"–"};
        table.add({{key.first},
                   {key.second},
                   {std::to_string(group.rows)},
                   {"0"},
                   {show_percent(0)},
                   none,
                   none,
                   none,
                   {show_percent(0)},
                   none,
                   none,
                   {basis}});
        return;
    }
    const double error = statistics.mean_absolute_error;
    table.add({{key.first},
               {key.second},
               {std::to_string(group.rows)},
               {std::to_string(statistics.count)},
               {show_percent(share(statistics.count, group.rows))},
               {show_percent(error), tone_of(error)},
               {show_signed_percent(statistics.bias)},
               {show_percent(statistics.share_within_tenth)},
               {show_percent(within_of_all(statistics, group.rows))},
               {show_percent(statistics.share_covered), tone_of_coverage(statistics.share_covered)},
               {show_correlation(statistics.rank_correlation)},
               {basis}});
}

/// Sums over groups, each of which counts once, whatever its rows.
class MeanOfGroups {
public:
    void add(const GroupScores& group, const Statistics& statistics) {
        ++num_groups_;
        rows_ += group.rows;
        within_of_all_ += within_of_all(statistics, group.rows);
        if (statistics.count > 0) {
            ++num_scored_;
            scored_ += statistics.count;
            error_ += statistics.mean_absolute_error;
            bias_ += statistics.bias;
            within_ += statistics.share_within_tenth;
            covered_ += statistics.share_covered;
        }
    }
    void print(Table& table, const std::string& arch, const std::string& name) const {
        if (num_scored_ == 0) {
            return;
        }
        const double covered = covered_ / num_scored_;
        table.add({{arch},
                   {name},
                   {std::to_string(rows_)},
                   {std::to_string(scored_)},
                   {show_percent(share(scored_, rows_))},
                   {show_percent(error_ / num_scored_)},
                   {show_signed_percent(bias_ / num_scored_)},
                   {show_percent(within_ / num_scored_)},
                   {show_percent(within_of_all_ / num_groups_)},
                   {show_percent(covered), tone_of_coverage(covered)},
                   {""},
                   {""}});
    }

private:
    std::size_t rows_ = 0;
    std::size_t scored_ = 0;
    double num_groups_ = 0;
    double num_scored_ = 0;
    double error_ = 0;
    double bias_ = 0;
    double within_ = 0;
    double within_of_all_ = 0;
    double covered_ = 0;
};

/// The lines of one architecture.
void add_groups(Table& table, const std::string& arch, const std::map<Key, GroupScores>& groups) {
    MeanOfGroups programs;
    MeanOfGroups circular;
    for (const auto& [key, group] : groups) {
        if (key.first != arch) {
            continue;
        }
        const Statistics statistics = statistics_of(group.pairs);
        const bool is_circular = basis_of(key.second).basis == Basis::Circular;
        (is_circular ? circular : programs).add(group, statistics);
        add_group(table, key, group, statistics);
    }
    programs.print(table, arch, "mean of groups");
    circular.print(table, arch, "mean of circular groups");
}

std::string notes_of(const std::map<Key, GroupScores>& groups) {
    std::string text = fmt::format(
        "\nOf all rows: within 10 %, where one that is not scored is a miss. Covered: the goal is "
        "{:.0f} % of each group.\n",
        kCoverageGoal * kPercent);
    std::set<std::string> named;
    for (const auto& [key, group] : groups) {
        const GroupBasis basis = basis_of(key.second);
        if (basis.basis != Basis::Program && named.insert(key.second).second) {
            text += fmt::format("{} ({}): {}\n", key.second, name_of(basis.basis), basis.what);
        }
    }
    return text;
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
    return table.text(style) + notes_of(groups);
}

std::string alternatives_text(std::span<const AlternativeKind> kinds,
                              const report::TextStyle& style) {
    if (kinds.empty()) {
        return "";
    }
    Table table({{"alternatives", Align::Left, 9, {}},
                 {"pairs", Align::Right, 8, {}},
                 {"right", Align::Right, 9, {}},
                 {"robust", Align::Right, 7, {}},
                 {"robust and right", Align::Right, 8, {}}});
    for (const AlternativeKind& kind : kinds) {
        const double robust_right = share(kind.num_robust_right, kind.num_robust);
        table.add({{kind.name},
                   {std::to_string(kind.num_pairs)},
                   {show_percent(share(kind.num_right, kind.num_pairs))},
                   {std::to_string(kind.num_robust)},
                   {kind.num_robust == 0 ? "–" : show_percent(robust_right),
                    robust_right >= compare::kRobustShare ? Tone::Good : Tone::Bad}});
    }
    return fmt::format("Order of alternatives measured more than {:.0f} % apart\n\n",
                       kFarApart * kPercent) +
           table.text(style);
}

std::string residues_text(std::span<const RegimeResidue> residues, const report::TextStyle& style) {
    if (residues.empty()) {
        return "";
    }
    Table table({{"architecture", Align::Left, 9, {}},
                 {"decided by", Align::Left, 9, {}},
                 {"rows", Align::Right, 6, {}},
                 {"bias", Align::Right, 7, {}},
                 {"nine of ten within", Align::Right, 8, {}}});
    for (const RegimeResidue& residue : residues) {
        table.add({{residue.arch},
                   {std::string(name_of(residue.regime))},
                   {std::to_string(residue.count)},
                   {show_signed_percent(residue.bias)},
                   {fmt::format("a factor of {:.2f}", 1 + residue.nine_of_ten)}});
    }
    return "Residues by what decides the time (timing.model_error), circular groups left out\n\n" +
           table.text(style);
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
    std::string text =
        "id,group,arch,metric,unit,predicted,low,high,measured,error,regime,reason\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        text += fmt::format("{},{},{},{},{},", quoted(row.id), quoted(row.group), row.arch,
                            quoted(row.metric), quoted(row.unit));
        if (const auto& figure = scores[i].prediction) {
            text += fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.4f},{},\n", figure->expected,
                                figure->low, figure->high, row.value,
                                relative_error({figure->expected, row.value}),
                                figure->regime ? name_of(*figure->regime) : "");
        } else {
            text += fmt::format(",,,{:.6g},,,{}\n", row.value, quoted(scores[i].reason));
        }
    }
    return text;
}

}  // namespace tessera::score
