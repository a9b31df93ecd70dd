// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/study/compare.hpp"

namespace tessera::compare {
namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::TextStyle;
using report::Tone;

constexpr std::size_t kMostParts = 8;
constexpr const char* kNothing = "–";
/// Name of the row kNoResource, without which "none" would look like a missing value.
constexpr const char* kNoResourceText = "no transfer (kernels run or start)";

/// Returns nanoseconds in the comparison's unit.
class Unit {
public:
    // Cycles if both runs have one clock; cycles of two clocks cannot be compared.
    explicit Unit(const Comparison& comparison)
        : cycles_(comparison.is_same_clock ? comparison.clock.value * 1e-9 : 0) {}

    [[nodiscard]] const char* name() const noexcept { return cycles_ > 0 ? "cycles" : "us"; }
    [[nodiscard]] std::string show(double time) const {
        return cycles_ > 0 ? report::show_cycles(std::llround(time * cycles_ * 1000))
                           : report::show_microseconds(time);
    }
    [[nodiscard]] std::string show(const std::optional<Nanoseconds>& time) const {
        return time ? show(time->expected) : kNothing;
    }
    [[nodiscard]] std::string signed_text(double time) const {
        // A difference that is shown as zero has no sign.
        const std::string text = show(std::abs(time));
        const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
        return is_zero ? "0" : (time < 0 ? "−" : "+") + text;
    }

private:
    double cycles_;  ///< of a nanosecond; 0: the runs have different clocks
};

std::string relative(const StepComparison& step) {
    if (!step.a || !step.b || step.a->expected == 0) {
        return kNothing;
    }
    return report::show_change(step.difference.expected / step.a->expected);
}

std::string interval(const StepComparison& step, const Unit& unit) {
    return fmt::format("{} … {}", unit.signed_text(step.difference.low),
                       unit.signed_text(step.difference.high));
}

// Times over bounds show whether a difference is of designs or of kernels far from their bound.
void add_bounds(const std::vector<const StepComparison*>& rows, std::vector<Column>& columns) {
    const auto show = [](double ratio) {
        return ratio == 0 ? kNothing : fmt::format("{:.2f}", ratio);
    };
    Column of_a{"A × bound", Align::Right, 4, {}};
    Column of_b{"B × bound", Align::Right, 4, {}};
    for (const StepComparison* step : rows) {
        of_a.cells.push_back({show(step->a_over_bound)});
        of_b.cells.push_back({show(step->b_over_bound)});
    }
    // The verdict stays last.
    columns.insert(columns.end() - 1, {std::move(of_a), std::move(of_b)});
}

std::string steps_text(const Comparison& comparison, const Unit& unit, const TextStyle& style) {
    std::vector<Column> columns{{"step", Align::Left, 9, {}},   {"A", Align::Right, 7, {}},
                                {"B", Align::Right, 7, {}},     {"B − A", Align::Right, 8, {}},
                                {"of A", Align::Right, 6, {}},  {"interval", Align::Right, 5, {}},
                                {"verdict", Align::Left, 9, {}}};
    std::vector<const StepComparison*> rows;
    for (const StepComparison& step : comparison.steps) {
        rows.push_back(&step);
    }
    rows.push_back(&comparison.run);
    for (const StepComparison* step : rows) {
        const std::vector<std::string> cells{
            step->name,         unit.show(step->a),
            unit.show(step->b), unit.signed_text(step->difference.expected),
            relative(*step),    interval(*step, unit)};
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns[i].cells.push_back({cells[i]});
        }
        columns.back().cells.push_back({text_of(step->verdict), tone_of(step->verdict)});
    }
    if (comparison.run.a_over_bound > 0 || comparison.run.b_over_bound > 0) {
        add_bounds(rows, columns);
    }
    return to_text(std::move(columns), style);
}

std::string parts_text(const std::string& heading, const std::vector<Contribution>& parts,
                       const Unit& unit, const TextStyle& style) {
    std::vector<Column> columns{{heading, Align::Left, 9, {}},
                                {"A", Align::Right, 7, {}},
                                {"B", Align::Right, 7, {}},
                                {"B − A", Align::Right, 9, {}}};
    for (const Contribution& part : parts) {
        if (columns[0].cells.size() == kMostParts || part.a == part.b) {
            break;  // sorted by the size of the difference
        }
        columns[0].cells.push_back({part.name == kNoResource ? kNoResourceText : part.name});
        columns[1].cells.push_back({unit.show(part.a)});
        columns[2].cells.push_back({unit.show(part.b)});
        columns[3].cells.push_back({unit.signed_text(part.b - part.a)});
    }
    return columns[0].cells.empty() ? "" : "\n" + to_text(std::move(columns), style);
}

std::string cause_text(const Comparison& comparison, const Unit& unit, const TextStyle& style) {
    const StepComparison& run = comparison.run;
    // Three views of the same paths: the activity, the resource that it waits for, and the line.
    const std::string parts = parts_text("activity", run.activities, unit, style) +
                              parts_text("resource", run.resources, unit, style) +
                              parts_text("line", run.lines, unit, style);
    if (parts.empty()) {
        return "";
    }
    return "\n" + painted("Where the difference of the run lies", Tone::Heading, style) +
           fmt::format(" (critical paths, {})\n", unit.name()) + parts;
}

std::string ratio_text(const StepComparison& run) {
    if (!run.a || !run.b || run.a->expected == 0 || run.b->expected == 0) {
        return "A and B cannot be set in relation";
    }
    if (run.difference.expected == 0) {
        return "A and B take the same time";
    }
    const bool is_faster = run.b->expected < run.a->expected;
    // The faster run is named first, so that the factor is above 1 in both directions.
    const double ratio =
        is_faster ? run.a->expected / run.b->expected : run.b->expected / run.a->expected;
    return is_faster ? fmt::format("B is {:.3g} times as fast as A", ratio)
                     : fmt::format("A is {:.3g} times as fast as B", ratio);
}

std::string flips_text(const StepComparison& step, const Unit& unit) {
    std::string text;
    for (const ConstantEnd& flip : step.flips) {
        text += fmt::format("  {}: {} with {} = {}\n", step.name, unit.signed_text(flip.difference),
                            flip.key, flip.value);
    }
    return text;
}

}  // namespace

std::string verdict_text(const Comparison& comparison, const TextStyle& style) {
    const StepComparison& run = comparison.run;
    return fmt::format("{} ({})\n", ratio_text(run),
                       painted(text_of(run.verdict), tone_of(run.verdict), style));
}

std::string to_text(const Comparison& comparison, const TextStyle& style) {
    const Unit unit(comparison);
    std::string flips = flips_text(comparison.run, unit);
    for (const StepComparison& step : comparison.steps) {
        flips += flips_text(step, unit);
    }
    if (!flips.empty()) {
        flips = "\nConstants that alone change the sign (B − A in " + std::string(unit.name()) +
                ")\n" + flips;
    }
    return fmt::format("A  {}\nB  {}\n\n", comparison.a, comparison.b) +
           steps_text(comparison, unit, style) + cause_text(comparison, unit, style) + flips +
           "\n" + verdict_text(comparison, style);
}

}  // namespace tessera::compare
