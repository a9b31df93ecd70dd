// SPDX-License-Identifier: Apache-2.0
// tessera compare: two timed runs side by side.
#include "runtime/study/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>
#include <variant>

#include "runtime/cli/command.hpp"
#include "runtime/cli/compared_run.hpp"
#include "runtime/cli/config_options.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct CompareOptions {
    std::string a;
    std::string b;
    std::vector<std::string> sets;
    std::vector<std::string> sets_b;
    std::optional<std::string> fail_if;
    std::optional<std::uint32_t> draws;
    bool each_constant = false;
    bool json = false;
};

compare::RunFigures figures_of(const ComparedRun& run, std::uint32_t draws) {
    const auto* recorded = std::get_if<compare::RecordedRun>(&run);
    return recorded != nullptr ? compare::figures_of(*recorded, draws)
                               : std::get<compare::RunFigures>(run);
}

/// How often constants were drawn for a report; none for what is timed here.
std::optional<std::uint32_t> draws_of(const ComparedRun& run) {
    const auto* report = std::get_if<compare::RunFigures>(&run);
    return report == nullptr
               ? std::nullopt
               : std::optional(static_cast<std::uint32_t>(report->ensemble.draws.size()));
}

// The draws of two numbers are other constants: there are pairs only among as many.
std::uint32_t common_draws(const ComparedRun& a, const ComparedRun& b,
                           const CompareOptions& options) {
    std::optional<std::uint32_t> draws = options.draws;
    for (const auto& [name, run] : {std::pair(&options.a, &a), std::pair(&options.b, &b)}) {
        const auto own = draws_of(*run);
        require(!own || !draws || own == draws,
                "{}: its report has {} draws of constants, allowed: {} as the other side or "
                "--draws has",
                *name, own.value_or(0), draws.value_or(0));
        draws = own ? own : draws;
    }
    return draws.value_or(timed_run::kDefaultDraws);
}

/// Constants moved one at a time, where traces are at hand, and the word that says why not.
struct Moved {
    std::vector<compare::MovedConstant> constants;
    std::string note;
};

Moved moved_constants(const ComparedRun& a, const ComparedRun& b, const CompareOptions& options) {
    const auto* recorded_a = std::get_if<compare::RecordedRun>(&a);
    const auto* recorded_b = std::get_if<compare::RecordedRun>(&b);
    if (recorded_a == nullptr || recorded_b == nullptr) {
        return {{}, "constants were not moved one at a time: a report holds no trace\n"};
    }
    const std::uint64_t cost = compare::cost_of_moving(*recorded_a, *recorded_b);
    if (!options.each_constant && cost > compare::kCheapReplays) {
        return {{},
                fmt::format("constants were not moved one at a time: --each-constant replays {} "
                            "million events for it\n",
                            cost / 1'000'000)};
    }
    return {compare::move_each_constant(*recorded_a, *recorded_b), ""};
}

/// The slowdown that --fail-if names: "slower-than=2%" is 0.02.
double slowdown_of(const std::string& text) {
    constexpr std::string_view kStart = "slower-than=";
    double percent = 0;
    const char* const end = text.data() + text.size();
    const char* const begin = text.data() + std::min(kStart.size(), text.size());
    const auto [rest, error] = std::from_chars(begin, end, percent);
    require(text.starts_with(kStart) && error == std::errc() && percent >= 0 &&
                std::string_view(rest, end) == "%",
            "--fail-if {}: allowed: slower-than=NUMBER%, such as slower-than=2%", text);
    return percent / 100;
}

/// What a baseline asks: whether B takes longer than A by more than is allowed, beyond the noise.
bool is_too_slow(const compare::StepComparison& run, double allowed) {
    return run.a && run.b && run.verdict == compare::Verdict::Robust &&
           run.b->expected > (1 + allowed) * run.a->expected;
}

std::vector<std::string> sets_of_b(const CompareOptions& options) {
    std::vector<std::string> sets = options.sets;
    sets.insert(sets.end(), options.sets_b.begin(), options.sets_b.end());
    return sets;
}

ExitCode run(const CompareOptions& options, const Console& console) {
    require(!options.b.empty() || !options.sets_b.empty(),
            "compare needs B, or --set-b for what it has other than A");
    const std::optional<double> allowed =
        options.fail_if ? std::optional(slowdown_of(*options.fail_if)) : std::nullopt;
    const ComparedRun a = open_run(options.a, options.sets);
    const ComparedRun b = open_run(options.b.empty() ? options.a : options.b, sets_of_b(options));
    const std::uint32_t draws = common_draws(a, b, options);
    const Moved moved = moved_constants(a, b, options);
    const compare::Comparison comparison =
        compare::compare(figures_of(a, draws), figures_of(b, draws), moved.constants);
    if (options.json) {
        console.out << to_json(comparison).dump(2) << '\n';
    } else {
        console.out << to_text(comparison, console.out_style) << moved.note;
    }
    return allowed && is_too_slow(comparison.run, *allowed) ? ExitCode::VerificationFailed
                                                            : ExitCode::Success;
}

void add_options(CLI::App& command, CompareOptions& options) {
    command.add_option("A", options.a, "A report, a trace or a run configuration")
        ->required()
        ->type_name("");
    command.add_option("B", options.b, "Another [A, with --set-b]")->type_name("");
    command
        .add_option(
            "--set", options.sets,
            "Replace a value of both configurations, or devices of traces, as often as need "
            "be")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command.add_option("--set-b", options.sets_b, "The same of B alone, behind those of --set")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command
        .add_option("--fail-if", options.fail_if,
                    "End with 1 if B is slower than A by more, beyond the noise: slower-than=2%")
        ->type_name("LIMIT");
    add_draws_option(command, options.draws, "32, or as many as a report has");
    command.add_flag("--each-constant", options.each_constant,
                     "Move each constant to both ends of its range, even if that takes long");
    command.add_flag("--json", options.json, "Print as JSON");
    command.footer(
        "A report is the folder of --report or its report.json; a trace is timed on the device it\n"
        "was recorded on; a configuration is run without computing values. A difference is robust\n"
        "if it has its sign in 95 % of pairs: draws of the timing constants and of the model's "
        "error\n"
        "that both runs meet. Reports hold the draws of the run that wrote them (--draws).");
}

}  // namespace

Command add_compare(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("compare", "Say which of two runs is faster, and why");
    auto options = std::make_shared<CompareOptions>();
    add_options(*command, *options);
    return {command, [options, &console] { return run(*options, console); }};
}

}  // namespace tessera::cli
