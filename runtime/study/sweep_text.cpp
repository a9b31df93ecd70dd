// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>

#include "runtime/report/number_text.hpp"
#include "runtime/report/run_text.hpp"
#include "runtime/report/text_table.hpp"

namespace tessera::sweep {
namespace {

using report::Align;
using report::Column;
using report::TextStyle;
using report::Tone;

std::string show(double nanoseconds) {
    return report::show_microseconds(nanoseconds);
}

const compare::RunFigures& figures(const SweepResult& result, const Ranked& entry) {
    return *result.points[entry.point].figures;
}

std::string cycles_text(const SweepResult& result, const Ranked& entry) {
    const double cycles = entry.time.expected * figures(result, entry).clock.value * 1e-9;
    return report::show_cycles(std::llround(cycles * 1000));
}

std::vector<Column> columns_of(const SweepResult& result) {
    // A narrow table drops columns of the lowest rank first.
    std::vector<Column> columns{{"rank", Align::Right, 7, {}}};
    for (const std::string& label : result.labels) {
        columns.push_back({label, Align::Left, 9, {}});
    }
    columns.push_back({"cycles", Align::Right, 8, {}});
    columns.push_back({"us", Align::Right, 8, {}});
    columns.push_back({"interval us", Align::Right, 4, {}});
    columns.push_back({"of best", Align::Right, 6, {}});
    columns.push_back({"slower", Align::Left, 5, {}});
    columns.push_back({"bound by", Align::Left, 3, {}});
    return columns;
}

std::string table_text(const SweepResult& result, const std::vector<Ranked>& ranked,
                       const TextStyle& style) {
    if (ranked.empty()) {
        return "";
    }
    std::vector<Column> columns = columns_of(result);
    for (const Ranked& entry : ranked) {
        std::vector<std::string> cells{std::to_string(entry.rank)};
        for (const std::string& value : value_labels_of(result, entry.point)) {
            cells.push_back(value.empty() ? "–" : value);
        }
        cells.push_back(cycles_text(result, entry));
        cells.push_back(show(entry.time.expected));
        cells.push_back(fmt::format("{} … {}", show(entry.time.low), show(entry.time.high)));
        cells.push_back(of_best_text(entry));
        cells.push_back(word_of(entry));
        cells.push_back(entry.bound);
        for (std::size_t column = 0; column < cells.size(); ++column) {
            columns[column].cells.push_back({std::move(cells[column])});
        }
    }
    return to_text(std::move(columns), style);
}

std::string count_text(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string failures_text(const SweepResult& result, const TextStyle& style) {
    std::string text;
    std::size_t passed_by = 0;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        passed_by += result.points[i].is_skipped ? 1 : 0;
        if (!result.points[i].figures && !result.points[i].is_skipped) {
            text += fmt::format("  {}: {}\n", full_name_of(result, i), result.points[i].failure);
        }
    }
    // Points that a search passed by are counted only: there may be thousands of them.
    if (passed_by > 0) {
        text += fmt::format("  {} that the search passed by\n", count_text(passed_by, "point"));
    }
    return text.empty() ? "" : "\n" + painted("Without a time", Tone::Heading, style) + "\n" + text;
}

// Returns the text about the second point: as fast as the best, or how many times as long.
std::string second_text(const SweepResult& result, const Ranked& best, const Ranked& second) {
    const std::string name = name_of(result, second.point);
    if (second.time.expected != best.time.expected) {
        return fmt::format("; {} takes {} times as long ({})", name, of_best_text(second),
                           text_of(second.verdict));
    }
    return fmt::format(
        "; {} is as fast{}", name,
        second.verdict.grade == compare::Grade::Equal ? "" : " as expected, not in every pair");
}

/// Points of one case by rank.
std::string answer_of(const SweepResult& result, std::span<const Ranked> ranked) {
    const Ranked& best = ranked.front();
    const std::string& given = result.cases.at(result.points[best.point].case_index);
    std::string text = fmt::format("{}best: {}, {} us", given.empty() ? "" : given + ": ",
                                   name_of(result, best.point), show(best.time.expected));
    if (ranked.size() > 1) {
        text += second_text(result, best, ranked[1]);
    }
    if (ranked.size() > 2) {
        const Ranked& last = ranked.back();
        text += fmt::format("; the slowest, {}, takes {} times as long ({})",
                            name_of(result, last.point), of_best_text(last), text_of(last.verdict));
    }
    return text;
}

}  // namespace

std::vector<std::string> answers(const SweepResult& result) {
    const std::vector<Ranked> ranked = ranking(result);
    if (ranked.empty()) {
        return {"no point has a time"};
    }
    std::vector<std::string> lines;
    // All cases are in one list, in which each case begins with rank 1.
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= ranked.size(); ++end) {
        if (end == ranked.size() || ranked[end].rank == 1) {
            lines.push_back(answer_of(result, std::span(ranked).subspan(begin, end - begin)));
            begin = end;
        }
    }
    return lines;
}

std::string answer_text(const SweepResult& result) {
    return fmt::format("{}\n", fmt::join(answers(result), "\n"));
}

std::string interrupted_text(const SweepResult& result) {
    return fmt::format("interrupted: {} of {} points have a time, the best is the best of these",
                       ranking(result).size(), result.points.size());
}

std::string to_text(const SweepResult& result, const TextStyle& style) {
    const std::string ranked_by =
        result.rank_by == "run" ? "the run" : fmt::format("step {}", result.rank_by);
    const std::string cases =
        result.num_case_keys == 0 ? "" : " in " + count_text(result.cases.size(), "case");
    const std::string kept =
        result.num_cached == 0
            ? ""
            : fmt::format(", {} from the cache", count_text(result.num_cached, "point"));
    return fmt::format("{}: {}\n{}{} by time of {}; {} of kernels{}; values {}\n{}\n",
                       painted(result.name, Tone::Heading, style), result.question,
                       count_text(result.points.size(), "point"), cases, ranked_by,
                       count_text(result.num_recordings, "recording"), kept,
                       result.has_values ? "computed and compared" : "not computed",
                       result.drawn.empty() ? "" : report::drawn_text(result.drawn) + "\n") +
           table_text(result, ranking(result), style) + failures_text(result, style) + "\n" +
           answer_text(result);
}

}  // namespace tessera::sweep
