// SPDX-License-Identifier: Apache-2.0
// Advice for a run: rules that change one thing each. A replay of the trace proves each rule, and
// its gain is the rule's value.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/field_table.hpp"
#include "runtime/report/text_style.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/advice_devices.hpp"
#include "runtime/study/advice_edits.hpp"
#include "runtime/study/bank_camping.hpp"
#include "runtime/study/recorded_run.hpp"
#include "runtime/study/sensitivity.hpp"
#include "runtime/study/verdict.hpp"

namespace tessera::advise {

/// Kind of result that a replay of a rule shows.
enum class RuleKind : std::uint8_t {
    Change,  ///< a change that a schedule can make
    Bound,   ///< an unlimited resource: no schedule gains more by using less of it
};

/// Applies a rule to a launch. Returns whether anything changed.
using EditLaunch = std::function<bool(LaunchTrace& launch, const LaunchContext& context)>;

/// Returns the place in a launch at which a rule gains: "reader.cpp:12", or "" if it is unknown.
using PlaceOf = std::string (*)(const report::LaunchReport& expected);

/// One row of the table of rules. It edits launches, or takes bounds away, not both.
struct Rule {
    RuleKind kind{};
    std::string_view name;    ///< the assumption: "CBs twice as deep"
    std::string_view advice;  ///< what to do if the rule gains
    std::string_view note{};  ///< assumptions of the replay, or cases without the advice
    /// Name shared by rules that differ in a number only; text shows the one with the largest gain.
    std::string_view family{};
    EditLaunch edit{};
    std::vector<config::Bound> bounds{};  ///< bounds whose constants are free or unlimited
    PlaceOf place = nullptr;              ///< null: only the step is named
};
[[nodiscard]] std::vector<Rule> all_rules();

/// The family of the rules that move a share of a line's reads to the other NoC.
inline constexpr std::string_view kShareOfReads = "share of a line's reads on the other NoC";

/// The rule that proves that cores camp on banks.
inline constexpr std::string_view kSpreadOverBanks = "pages distributed over the banks";

/// The rule that bounds what busy links of the NoC cost.
inline constexpr std::string_view kNocLinks = "links of the NoC";

/// Step whose time a rule changes.
struct StepGain {
    std::string name;
    double gain = 0;  ///< share of its own time: 0.25 is a quarter less
    Millicycles saved = 0;
    std::string place;  ///< result of Rule::place for a gain
    compare::Verdict verdict{};
};

/// Load of a step on the links of the NoC.
struct LinkLoad {
    std::string step;
    double busiest = 0;  ///< share of the step's time in which that link is occupied
    double mean = 0;     ///< mean share over all links with traffic
    ResourceUse link;    ///< the busiest link
};

/// Time of a step over its bound.
struct StepOverBound {
    std::string name;
    Millicycles time = 0;
    report::Bound bound;

    /// Time that a kernel at its bound would save.
    [[nodiscard]] Millicycles excess() const { return time - bound.waited - bound.time; }
};

struct Finding {
    Rule rule;
    Millicycles makespan = 0;
    double gain = 0;  ///< share of the run's time; below 0: the run takes longer
    /// On the run's time; Equal if the rule touches no launch, Ungraded below kLeastGain.
    compare::Verdict verdict{};
    std::vector<StepGain> steps;  ///< largest first
    std::string refusal;          ///< reason why there was no replay; other members are unset
    bool is_beaten = false;       ///< another rule of its family gains more
};

/// Smallest gain that is shown.
inline constexpr double kLeastGain = 0.005;
[[nodiscard]] bool is_worth_a_line(const Finding& finding);

struct Advice {
    std::string run;  ///< "moe_v2 on wormhole_n150"
    Hertz clock;
    Millicycles makespan = 0;
    std::optional<report::Bound> bound;     ///< of the makespan; none: of a trace
    std::vector<StepOverBound> over_bound;  ///< by the time above the bound, largest first
    std::vector<Finding> findings;          ///< by kind, then gain, largest first
    std::vector<ConstantEffect> constants;  ///< result of sensitivity(); empty: not requested
    std::vector<BankCamping> banks;         ///< by step, for steps that read or write DRAM
    std::vector<LinkLoad> links;            ///< by step, for steps that use the NoC
};

/// Replays the run once for each rule, in parallel, and estimates it under draws of constants for
/// changes with a gain. Bounds are graded under the stated constants and errors of the model only.
/// A launch that a rule does not touch keeps its times. The result is the same at any number of
/// host threads.
[[nodiscard]] Advice advise(const compare::RecordedRun& run,
                            RuleDevices devices = RuleDevices::Deciding);

/// Returns the steps furthest from their bound; findings with verdict and advice; names of rules
/// without a gain; steps that lose time by camping on banks, with a map of banks over time for the
/// step with the largest loss; the ten constants with the largest effect.
[[nodiscard]] std::string to_text(const Advice& advice, const report::TextStyle& style);

/// Returns {schema: "tessera.advice", version, run, makespan_ns, over_bound[{step, time_ns,
/// bound_ns, ratio, by}], findings[],
/// constants[], banks[]}. A finding is
/// {rule, kind, family, advice, note, makespan_ns, gain, share, verdict, verdict_text, steps[{name,
/// gain, place, verdict_text}], refusal}, constants {key, low_value, high_value, at_low, at_high},
/// banks {step, banks, used, even, stride, map[bank][slice], lines[{line, transfers, used,
/// stride}]}; `links` {step, busiest, mean, noc, x, y, direction}. share and verdict as to_json of
/// a Comparison.
[[nodiscard]] nlohmann::ordered_json to_json(const Advice& advice);

}  // namespace tessera::advise
