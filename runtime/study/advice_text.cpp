// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/timing/timing_text.hpp"
#include "runtime/study/advice.hpp"

namespace tessera::advise {
namespace {

using report::Align;
using report::Column;
using report::TextStyle;
using report::Tone;

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

// Returns "gate −66.5 % (CB 0, reader.cpp:12), up −60.0 %", as shares of each step's own time. Only
// the first step has its place, since three places would not fit in a line.
std::string steps_text(const Finding& finding) {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < std::min(kMost, finding.steps.size()); ++i) {
        const StepGain& step = finding.steps[i];
        const bool has_place = i == 0 && !step.place.empty();
        steps.push_back(fmt::format("{} {}{}", step.name, report::show_change(-step.gain),
                                    has_place ? fmt::format(" ({})", step.place) : ""));
    }
    return fmt::format("{}", fmt::join(steps, ", "));
}

bool is_shown(const Finding& finding) {
    return is_worth_a_line(finding) && !finding.is_beaten;
}

/// Returns the advice. "The other NoC" is advised for busy links only if a replay has shown a gain.
std::string then_text(const Advice& advice, const Finding& finding) {
    const auto share = std::ranges::find_if(advice.findings, [](const Finding& other) {
        return other.rule.family == kShareOfReads && is_shown(other);
    });
    const bool has_share = finding.rule.name == kNocLinks && share != advice.findings.end();
    return has_share ? fmt::format("{}, or {}", finding.rule.advice, share->rule.name)
                     : std::string(finding.rule.advice);
}

/// Returns the assumptions of shown rules: "25 % of a line's reads on the other NoC: …".
std::string notes_text(const Advice& advice, RuleKind kind) {
    std::string text;
    for (const Finding& finding : advice.findings) {
        if (finding.rule.kind == kind && is_shown(finding) && !finding.rule.note.empty()) {
            text += fmt::format("  {}: {}\n", finding.rule.name, finding.rule.note);
        }
    }
    return text;
}

std::string findings_text(const Advice& advice, RuleKind kind, const char* heading,
                          const TextStyle& style) {
    std::vector<Column> columns{{heading, Align::Left, 9, {}},
                                {"cycles", Align::Right, 9, {}},
                                {"gain", Align::Right, 9, {}},
                                {"verdict", Align::Left, 9, {}}};
    std::vector<std::string> details;  // one per row, which no column is wide enough for
    for (const Finding& finding : advice.findings) {
        if (finding.rule.kind == kind && is_shown(finding)) {
            columns[0].cells.push_back({std::string(finding.rule.name)});
            columns[1].cells.push_back({report::show_cycles(finding.makespan)});
            columns[2].cells.push_back({percent(finding.gain), Tone::Good});
            columns[3].cells.push_back({text_of(finding.verdict), tone_of(finding.verdict)});
            const std::string steps = steps_text(finding);
            details.push_back(fmt::format("    {}{}\n",
                                          steps.empty() ? "" : "most in " + steps + "; ",
                                          then_text(advice, finding)));
        }
    }
    if (details.empty()) {
        return "";
    }
    std::istringstream table(to_text(std::move(columns), style));
    std::string line;
    std::getline(table, line);
    std::string text = "\n" + line + "\n";
    for (const std::string& detail : details) {
        std::getline(table, line);
        text.append(line).append("\n").append(detail);
    }
    return text + notes_text(advice, kind);
}

// Rules without a gain are named in one line, so that users do not try them by hand.
std::string others_text(const Advice& advice) {
    std::vector<std::string> without_gain;
    std::vector<std::string> longer;
    std::map<std::string, std::vector<std::string>> refused;  // by reason
    for (const Finding& finding : advice.findings) {
        if (finding.is_beaten) {
            continue;  // the best of its family speaks for it
        }
        if (!finding.refusal.empty()) {
            std::vector<std::string>& names = refused[finding.refusal];
            const std::string name(finding.rule.family.empty() ? finding.rule.name
                                                               : finding.rule.family);
            if (names.empty() || names.back() != name) {
                names.push_back(name);
            }
        } else if (finding.gain < -kLeastGain) {
            // A loss is a result, unlike a rule that changes nothing.
            longer.push_back(fmt::format("{} ({})", finding.rule.name, percent(-finding.gain)));
        } else if (!is_worth_a_line(finding)) {
            without_gain.emplace_back(finding.rule.name);
        }
    }
    std::string text;
    if (!without_gain.empty()) {
        text += fmt::format("\ngain less than {}: {}\n", percent(kLeastGain),
                            fmt::join(without_gain, "; "));
    }
    if (!longer.empty()) {
        text += fmt::format(
            "\nlonger: {}\n  a change that lets packets or cores come earlier can delay "
            "others\n",
            fmt::join(longer, "; "));
    }
    for (const auto& [reason, names] : refused) {
        text += fmt::format("not tried, as {}: {}\n", reason, fmt::join(names, "; "));
    }
    return text;
}

/// Returns a bar from the end that shortens the run to the end that lengthens it, on the scale of
/// all rows: "  ---|+++++".
std::string bar_of(const ConstantEffect& effect, double most) {
    constexpr double kHalf = 20;
    const auto width = [&](double change) {
        return static_cast<std::size_t>(std::lround(std::abs(change) / most * kHalf));
    };
    const std::size_t shorter = width(std::min({effect.at_low, effect.at_high, 0.0}));
    const std::size_t longer = width(std::max({effect.at_low, effect.at_high, 0.0}));
    return std::string(static_cast<std::size_t>(kHalf) - shorter, ' ') + std::string(shorter, '-') +
           "|" + std::string(longer, '+');
}

std::string change_text(const std::string& value, double change) {
    return value.empty() ? "–" : fmt::format("{:+.2f} % at {}", 100 * change, value);
}

// The text has the ten largest effects, to_json() all of them.
std::string constants_text(const Advice& advice, const TextStyle& style) {
    std::vector<Column> columns{{"constant", Align::Left, 9, {}},
                                {"change of the run", Align::Left, 8, {}},
                                {"and", Align::Left, 7, {}},
                                {"shorter            | longer", Align::Left, 6, {}}};
    for (const ConstantEffect& effect : largest_effects(advice.constants)) {
        columns[0].cells.push_back({effect.key});
        columns[1].cells.push_back({change_text(effect.low_value, effect.at_low)});
        columns[2].cells.push_back({change_text(effect.high_value, effect.at_high)});
        columns[3].cells.push_back({bar_of(effect, largest_of(advice.constants.front()))});
    }
    return columns[0].cells.empty() ? "" : "\n" + to_text(std::move(columns), style);
}

// Returns one character for each slice: the share of its transfers in the bank, ' ' for none, '@'
// for twice an even share or more.
std::string map_text(const BankCamping& banks) {
    constexpr std::string_view kShades = " .:-=+*#%@";
    std::string text;
    for (std::size_t bank = 0; bank < banks.map.size(); ++bank) {
        text += fmt::format("    bank {:2} |", bank);
        for (const double share : banks.map[bank]) {
            const double of_even = share * banks.num_banks / 2;
            const auto shade = static_cast<std::size_t>(std::min(of_even, 1.0) *
                                                        static_cast<double>(kShades.size() - 1));
            text += kShades[shade];
        }
        text += "|\n";
    }
    return text;
}

/// Returns the steps that a rule makes faster, sorted by saved time, largest first.
std::vector<StepGain> steps_that_gain(const Advice& advice, std::string_view rule) {
    std::vector<StepGain> steps;
    for (const Finding& finding : advice.findings) {
        if (finding.rule.name == rule) {
            std::ranges::copy_if(finding.steps, std::back_inserter(steps),
                                 [](const StepGain& step) { return step.gain >= kLeastGain; });
        }
    }
    std::ranges::stable_sort(steps, std::ranges::greater{}, &StepGain::saved);
    return steps;
}

std::string num_banks_text(std::uint32_t num) {
    return fmt::format("{} bank{}", num, num == 1 ? "" : "s");
}

// Returns why a line uses few banks: the distance of its pages. A width padded by one column of
// tiles gave gate of moe_v2 4 % more work in 64 % of the time.
std::string line_text(const LineBanks& line, std::uint32_t banks) {
    const std::string stride =
        line.stride == 0
            ? fmt::format(
                  "pages are a multiple of {} pages apart, such as rows of {} or {} tiles: "
                  "pad the rows by one tile, or read along the rows",
                  banks, banks, 2 * banks)
            : num_banks_text(line.stride) + " on from one to the next";
    return fmt::format("    {}: {} consecutive transfers of a core use {:.1f} of {} banks: {}\n",
                       line.line, banks, line.used, banks, stride);
}

std::string step_banks_text(const BankCamping& banks, const StepGain& step, bool has_map,
                            const TextStyle& style) {
    std::string text = fmt::format(
        "\n{}: {} less with pages distributed; cores camp on {:.1f} of {} banks at a time, an even "
        "distribution uses {:.1f}; consecutive pages of a core are {} apart\n",
        painted(banks.step, Tone::Heading, style), percent(step.gain), banks.used, banks.num_banks,
        banks.even, num_banks_text(banks.stride));
    for (const LineBanks& line : banks.lines) {
        text += camps(line, banks.num_banks) ? line_text(line, banks.num_banks) : "";
    }
    return has_map ? text + map_text(banks) : text;
}

// Both tests are needed. In `gate` of moe_v2 all cores together used 9.9 of 12 banks, while one
// line read from 1.1 of them.
bool camps(const BankCamping& banks) {
    return banks.used < kCamps * banks.even ||
           std::ranges::any_of(banks.lines,
                               [&](const LineBanks& line) { return camps(line, banks.num_banks); });
}

// A step's gain counts if it is at least 0.5 % of the run, the limit of the rules.
bool is_of_run(Millicycles saved, const Advice& advice) {
    return static_cast<double>(saved) >= kLeastGain * static_cast<double>(advice.makespan);
}

// Camping costs nothing if cores are bound by another resource; the replay shows the steps that
// lose time.
std::string banks_text(const Advice& advice, const TextStyle& style) {
    constexpr std::size_t kMostSteps = 3;
    std::string text;
    std::size_t steps = 0;
    for (const StepGain& step : steps_that_gain(advice, kSpreadOverBanks)) {
        const auto banks = std::ranges::find(advice.banks, step.name, &BankCamping::step);
        if (banks != advice.banks.end() && camps(*banks) && steps < kMostSteps) {
            // A map has 12 lines, so only the step with the largest gain has one, if the run's time
            // shows it.
            const bool has_map = steps == 0 && is_of_run(step.saved, advice);
            text += step_banks_text(*banks, step, has_map, style);
            ++steps;
        }
    }
    return text;
}

/// Returns the direction of a link, such as "east": NoC 0 goes east and south, NoC 1 west and
/// north.
const char* heading_of(const ResourceUse& link) {
    if (link.direction == 0) {
        return link.noc == 0 ? "east" : "west";
    }
    return link.noc == 0 ? "south" : "north";
}

std::string links_text(const Advice& advice, const TextStyle& style) {
    constexpr std::size_t kMostLines = 3;
    constexpr double kBusy = 0.25;  // with less, a gain of the step is chance
    std::string text;
    std::size_t lines = 0;
    for (const StepGain& step : steps_that_gain(advice, kNocLinks)) {
        const auto load = std::ranges::find(advice.links, step.name, &LinkLoad::step);
        if (load != advice.links.end() && load->busiest >= kBusy && lines < kMostLines) {
            text += fmt::format(
                "{}{}: {} less with unlimited links of the NoC; the busiest, of NoC {} on device "
                "{} "
                "{} from router ({},{}) in NoC coordinates, is occupied {:.0f} % of the time, the "
                "mean one {:.0f} %\n",
                lines == 0 ? "\n" : "", painted(load->step, Tone::Heading, style),
                percent(step.gain), load->link.noc, load->link.device, heading_of(load->link),
                load->link.node.x, load->link.node.y, 100 * load->busiest, 100 * load->mean);
            ++lines;
        }
    }
    return text;
}

// The first table: no change of a schedule gains more than a kernel at its bound would.
std::string over_bound_text(const Advice& advice, const TextStyle& style) {
    constexpr std::size_t kMostSteps = 5;
    if (!advice.bound) {
        return "";
    }
    std::vector<Column> columns{{"furthest from their bound", Align::Left, 9, {}},
                                {"cycles", Align::Right, 9, {}},
                                {"bound", Align::Right, 9, {}},
                                {"× bound", Align::Right, 9, {}},
                                {"by", Align::Left, 8, {}}};
    for (std::size_t i = 0; i < std::min(kMostSteps, advice.over_bound.size()); ++i) {
        const StepOverBound& step = advice.over_bound[i];
        columns[0].cells.push_back({step.name});
        columns[1].cells.push_back({report::show_cycles(step.time)});
        columns[2].cells.push_back({report::show_cycles(step.bound.time)});
        columns[3].cells.push_back({report::over_bound_text(step.time, step.bound)});
        columns[4].cells.push_back({step.bound.by});
    }
    return fmt::format("bound: {} cycles; the run takes {} ×\n\n",
                       report::show_cycles(advice.bound->time),
                       report::over_bound_text(advice.makespan, advice.bound)) +
           to_text(std::move(columns), style);
}

}  // namespace

std::string to_text(const Advice& advice, const TextStyle& style) {
    const std::string text =
        fmt::format("{}: {} cycles\n", painted(advice.run, Tone::Heading, style),
                    report::show_cycles(advice.makespan)) +
        over_bound_text(advice, style) + findings_text(advice, RuleKind::Change, "what if", style) +
        findings_text(advice, RuleKind::Bound, "at most, without", style) + others_text(advice) +
        links_text(advice, style) + banks_text(advice, style);
    return report::wrapped(text, style) + constants_text(advice, style);
}

}  // namespace tessera::advise
