// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "bench/accuracy/group_basis.hpp"
#include "bench/accuracy/group_scores.hpp"
#include "bench/accuracy/statistics.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/study/compare.hpp"

namespace tessera::score {
namespace {

using report::Align;
using report::Column;
using report::Tone;

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

Tone tone_of_coverage(double covered) {
    return covered >= kCoverageGoal ? Tone::Good : Tone::Bad;
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void add_group(Table& table, const GroupScore& group) {
    const Statistics& statistics = group.statistics;
    const bool has_figures = statistics.count > 0;
    const auto figure = [&](std::string text, Tone tone = Tone::Plain) {
        return has_figures ? report::Cell{std::move(text), tone} : report::Cell{"–"};
    };
    const double error = statistics.mean_absolute_error;
    const double covered = statistics.share_covered;
    table.add({{group.arch},
               {group.name},
               {std::to_string(group.rows)},
               {std::to_string(statistics.count)},
               {show_percent(group.share_scored())},
               figure(show_percent(error), group.is_mean ? Tone::Plain : tone_of(error)),
               figure(show_signed_percent(statistics.bias)),
               figure(show_percent(statistics.share_within_tenth)),
               {show_percent(group.within_of_all)},
               figure(show_percent(covered), tone_of_coverage(covered)),
               {group.is_mean ? "" : show_correlation(statistics.rank_correlation)},
               {std::string(name_of(basis_of(group.name).basis))}});
}

std::string notes_of(std::span<const GroupScore> groups) {
    std::string text = fmt::format(
        "\nThe column \"of all rows\" counts rows within 10 %; a row that is not scored is a miss. "
        "The goal of \"covered\" is {:.0f} % of each group.\n",
        kCoverageGoal * kPercent);
    // Sorted by name; they arrive by architecture.
    std::map<std::string, GroupBasis> changed;
    for (const GroupScore& group : groups) {
        const GroupBasis basis = basis_of(group.name);
        if (basis.basis != Basis::Program) {
            changed.emplace(group.name, basis);
        }
    }
    for (const auto& [name, basis] : changed) {
        text += fmt::format("{} ({}): {}\n", name, name_of(basis.basis), basis.what);
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
    const std::vector<GroupScore> groups = group_scores(rows, scores);
    Table table = group_table();
    for (const GroupScore& group : groups) {
        add_group(table, group);
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
                 {"nine of ten within", Align::Right, 8, {}},
                 {"stated", Align::Right, 6, {}}});
    for (const RegimeResidue& residue : residues) {
        table.add({{residue.arch},
                   {std::string(name_of(residue.regime))},
                   {std::to_string(residue.count)},
                   {show_signed_percent(residue.bias)},
                   {fmt::format("a factor of {:.2f}", 1 + residue.nine_of_ten)},
                   {fmt::format("{:.2f}", 1 + residue.stated)}});
    }
    return "Residues by what decides the time (timing.model_error), circular groups left out\n\n" +
           table.text(style);
}

std::string reasons_text(std::span<const Row> rows, std::span<const RowScore> scores,
                         RowDetail detail, const report::TextStyle& style) {
    const std::vector<Unscored> unscored = unscored_rows(scores);
    if (unscored.empty()) {
        return "";
    }
    Table table({{"not scored", Align::Right, 9, {}},
                 {"reason", Align::Left, 9, {}},
                 {detail == RowDetail::Rows ? "rows" : "first row", Align::Left, 8, {}}});
    for (const auto& [reason, indices] : unscored) {
        std::vector<std::string_view> ids;
        for (const std::size_t index : indices) {
            ids.emplace_back(rows[index].id);
        }
        const auto shown = std::span(ids).first(detail == RowDetail::Rows ? ids.size() : 1);
        table.add(
            {{std::to_string(ids.size())}, {reason}, {fmt::format("{}", fmt::join(shown, " "))}});
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
