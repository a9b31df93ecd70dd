// SPDX-License-Identifier: Apache-2.0
// From where a run's time goes to what would change it: rules, each proved by a replay of the trace
// with one thing changed, and worth what that replay gains.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/bank_camping.hpp"
#include "runtime/study/recorded_run.hpp"
#include "runtime/study/sensitivity.hpp"

namespace tessera::advise {

/// What a replay of a rule shows.
enum class RuleKind : std::uint8_t {
    Change,  ///< what a schedule could do
    Bound,   ///< a resource without end: no schedule gains more by using less of it
};

/// Changes a launch as the rule has it; `expected` is its report. Returns whether anything changed.
using ChangeLaunch = bool (*)(LaunchTrace& launch, const report::LaunchReport& expected,
                              const timed_run::TimedMachine& machine);

/// Where in a launch a rule gains: "reader.cpp:12", or "" where nothing can be said.
using PlaceOf = std::string (*)(const report::LaunchReport& expected);

/// One row of the table of rules; one of the two functions that change is null.
struct Rule {
    RuleKind kind{};
    std::string_view name;    ///< what is supposed: "CBs twice as deep"
    std::string_view advice;  ///< what to do where it gains
    void (*change_timing)(TimingSpec& timing) = nullptr;
    ChangeLaunch change_launch = nullptr;
    PlaceOf place = nullptr;  ///< null: the step is all that can be named
};
[[nodiscard]] std::vector<Rule> all_rules();

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
    double gain = 0;              ///< of the run's time; below 0: it takes longer
    std::vector<StepGain> steps;  ///< largest first
    std::string refusal;          ///< why there was no replay; then nothing else holds
};

struct Advice {
    std::string run;  ///< "moe_v2 on wormhole_n150"
    Hertz clock;
    Millicycles makespan = 0;
    std::vector<Finding> findings;          ///< by kind, then gain, largest first
    std::vector<ConstantEffect> constants;  ///< as sensitivity() gives them; empty: not asked for
    std::vector<BankCamping> banks;         ///< by step, those that read or write DRAM
    std::vector<LinkLoad> links;            ///< by step, those that use the NoC
};

/// Replays the run once for each rule, side by side; the same at any number of host threads.
[[nodiscard]] Advice advise(const compare::RecordedRun& run);

/// Gains smaller than this are not worth a line.
inline constexpr double kLeastGain = 0.005;

/// Findings with what to do; rules without a gain by name alone; the steps that lose time by
/// camping on banks, with a map of banks over time; the ten constants that the time depends on
/// most.
[[nodiscard]] std::string to_text(const Advice& advice, const report::TextStyle& style);

/// {schema: "tessera.advice", version, run, makespan_ns, findings[],
/// constants[], banks[]}. A finding is
/// {rule, kind, advice, makespan_ns, gain, steps[{name, gain, place}], refusal}, constants {key,
/// low_value, high_value, at_low, at_high}, banks {step, banks, used, even, stride,
/// map[bank][slice], lines[{line, transfers, used, stride}]}; `links` {step, busiest, mean, noc, x,
/// y, direction}.
[[nodiscard]] nlohmann::ordered_json to_json(const Advice& advice);

}  // namespace tessera::advise
