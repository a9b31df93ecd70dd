// SPDX-License-Identifier: Apache-2.0
// From where a run's time goes to what would change it: rules, each proved by a replay of the trace
// with one thing changed, and worth what that replay gains.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/field_table.hpp"
#include "runtime/report/text_style.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/advice_edits.hpp"
#include "runtime/study/bank_camping.hpp"
#include "runtime/study/recorded_run.hpp"
#include "runtime/study/sensitivity.hpp"
#include "runtime/study/verdict.hpp"

namespace tessera::advise {

/// What a replay of a rule shows.
enum class RuleKind : std::uint8_t {
    Change,  ///< what a schedule could do
    Bound,   ///< an unlimited resource: no schedule gains more by using less of it
};

/// Edits a launch as the rule says. Returns whether anything changed.
using EditLaunch = std::function<bool(LaunchTrace& launch, const LaunchContext& context)>;

/// Where in a launch a rule gains: "reader.cpp:12", or "" where nothing can be said.
using PlaceOf = std::string (*)(const report::LaunchReport& expected);

/// One row of the table of rules. It edits launches, or takes bounds away, not both.
struct Rule {
    RuleKind kind{};
    std::string_view name;    ///< what is supposed: "CBs twice as deep"
    std::string_view advice;  ///< what to do where it gains
    std::string_view note{};  ///< what the replay assumes, or where the advice is not allowed
    /// Rules that differ in a number alone: text shows the one of them that gains most.
    std::string_view family{};
    EditLaunch edit{};
    std::vector<config::Bound> bounds{};  ///< whose constants are free or unlimited
    PlaceOf place = nullptr;              ///< null: the step is all that can be named
};
[[nodiscard]] std::vector<Rule> all_rules();

/// The family of the rules that move a share of a line's reads to the other NoC.
inline constexpr std::string_view kShareOfReads = "share of a line's reads on the other NoC";

/// The rule that proves that cores camp on banks.
inline constexpr std::string_view kDealOutBanks = "pages dealt out over the banks";

/// The rule that bounds what busy links of the NoC cost.
inline constexpr std::string_view kNocLinks = "links of the NoC";

/// A step whose time a rule changes.
struct StepGain {
    std::string name;
    double gain = 0;  ///< of its own time: 0.25 is a quarter less
    Millicycles saved = 0;
    std::string place;  ///< of a gain, as Rule::place has it
    compare::Verdict verdict{};
};

/// How the links of the NoC share the load of a step.
struct LinkLoad {
    std::string step;
    double busiest = 0;  ///< share of the step's time in which that link is occupied
    double mean = 0;     ///< the same of all links that carry anything
    ResourceUse link;    ///< the busiest
};

struct Finding {
    Rule rule;
    Millicycles makespan = 0;
    double gain = 0;  ///< of the run's time; below 0: it takes longer
    /// On the run's time; Equal if the rule touches no launch, Ungraded below kLeastGain.
    compare::Verdict verdict{};
    std::vector<StepGain> steps;  ///< largest first
    std::string refusal;          ///< why there was no replay; then nothing else holds
    bool is_beaten = false;       ///< another rule of its family gains more
};

/// Gains smaller than this are not worth a line.
inline constexpr double kLeastGain = 0.005;
[[nodiscard]] bool is_worth_a_line(const Finding& finding);

struct Advice {
    std::string run;  ///< "moe_v2 on wormhole_n150"
    Hertz clock;
    Millicycles makespan = 0;
    std::vector<Finding> findings;          ///< by kind, then gain, largest first
    std::vector<ConstantEffect> constants;  ///< as sensitivity() gives them; empty: not asked for
    std::vector<BankCamping> banks;         ///< by step, those that read or write DRAM
    std::vector<LinkLoad> links;            ///< by step, those that use the NoC
};

/// Replays the run once for each rule, side by side, and again under draws of constants for changes
/// that gain; bounds are graded under stated constants and errors of the model alone. A launch that
/// a rule does not touch keeps its times. The same at any number of host threads.
[[nodiscard]] Advice advise(const compare::RecordedRun& run);

/// Findings with verdict and what to do; rules without a gain by name alone; the steps that lose
/// time by camping on banks, with a map of banks over time for the one that loses most; the ten
/// constants that the time depends on most.
[[nodiscard]] std::string to_text(const Advice& advice, const report::TextStyle& style);

/// Returns {schema: "tessera.advice", version, run, makespan_ns, findings[],
/// constants[], banks[]}. A finding is
/// {rule, kind, family, advice, note, makespan_ns, gain, share, verdict, verdict_text, steps[{name,
/// gain, place, verdict_text}], refusal}, constants {key, low_value, high_value, at_low, at_high},
/// banks {step, banks, used, even, stride, map[bank][slice], lines[{line, transfers, used,
/// stride}]}; `links` {step, busiest, mean, noc, x, y, direction}. share and verdict as to_json of
/// a Comparison.
[[nodiscard]] nlohmann::ordered_json to_json(const Advice& advice);

}  // namespace tessera::advise
