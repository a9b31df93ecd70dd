// SPDX-License-Identifier: Apache-2.0
// tessera compare: compares the predicted times of runs.
#include "runtime/cli/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <utility>
#include <variant>

#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/compared_run.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/study/baseline.hpp"
#include "runtime/study/compare.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct CompareOptions {
    std::vector<std::string> runs;  ///< A, B and further runs
    std::optional<std::string> html;
    std::vector<std::string> sets;
    std::vector<std::string> sets_b;
    std::optional<std::string> fail_if;
    DrawOptions draws;
    bool each_constant = false;
    bool json = false;
    bool full = false;
};

compare::RunFigures figures_of(const ComparedRun& run, const timed_run::Draws& draws) {
    const auto* recorded = std::get_if<compare::RecordedRun>(&run);
    return recorded != nullptr ? compare::figures_of(*recorded, draws)
                               : std::get<compare::RunFigures>(run);
}

/// Returns the number of draws of a report; nothing for runs that are timed here.
std::optional<std::uint32_t> draws_of(const ComparedRun& run) {
    const auto* report = std::get_if<compare::RunFigures>(&run);
    return report == nullptr
               ? std::nullopt
               : std::optional(static_cast<std::uint32_t>(report->ensemble.draws.size()));
}

// Draws depend on their number, so runs can be paired only if they have the same number of draws.
timed_run::Draws common_draws(const std::vector<ComparedRun>& runs, const CompareOptions& options) {
    std::optional<std::uint32_t> count = options.draws.count;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto own = draws_of(runs[i]);
        require(!own || !count || own == count,
                "{}: its report has {} draws of constants, allowed: {}, as the other side or "
                "--draws has",
                options.runs.at(std::min(i, options.runs.size() - 1)), own.value_or(0),
                count.value_or(0));
        count = own ? own : count;
    }
    return DrawOptions{count, options.draws.are_replayed}.draws();
}

/// Effects of single constants if both runs have traces, else the text that says why not.
struct Moved {
    std::vector<compare::MovedConstant> constants;
    std::string note;
};

Moved moved_constants(const ComparedRun& a, const ComparedRun& b, const CompareOptions& options,
                      ProgressLine& progress) {
    const auto* recorded_a = std::get_if<compare::RecordedRun>(&a);
    const auto* recorded_b = std::get_if<compare::RecordedRun>(&b);
    if (recorded_a == nullptr || recorded_b == nullptr) {
        return {{}, "effects of single constants were not computed: a report holds no trace\n"};
    }
    const std::uint64_t cost = compare::cost_of_moving(*recorded_a, *recorded_b);
    if (!options.each_constant && cost > compare::kCheapReplays) {
        return {{},
                fmt::format("effects of single constants were not computed; --each-constant "
                            "replays {} million events for them\n",
                            cost / 1'000'000)};
    }
    progress.begin("moving each constant", cost);
    return {compare::move_each_constant(*recorded_a, *recorded_b), ""};
}

/// Returns the slowdown that --fail-if names: "slower-than=2%" is 0.02.
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

/// Returns whether B takes longer than A by more than --fail-if allows, with the verdict robust.
bool is_too_slow(const compare::StepComparison& run, double allowed) {
    return run.a && run.b && run.verdict.grade == compare::Grade::Robust &&
           run.b->expected > (1 + allowed) * run.a->expected;
}

/// Values of A, then those of B alone, so that messages name the option that the user wrote.
std::vector<config::Override> sets_of_b(const CompareOptions& options) {
    std::vector<config::Override> sets = config::parse_sets(options.sets);
    const std::vector<config::Override> own = config::parse_sets(options.sets_b, "--set-b");
    sets.insert(sets.end(), own.begin(), own.end());
    return sets;
}

/// Suffix of B's name: the values that differ from A.
std::string with_sets_b(const CompareOptions& options) {
    return options.sets_b.empty() ? "" : fmt::format(" with {}", fmt::join(options.sets_b, ", "));
}

/// Opens all runs. If B is not named, it is A with the values of --set-b.
std::vector<ComparedRun> open_runs(const CompareOptions& options, ProgressLine& progress) {
    std::vector<ComparedRun> runs;
    for (const std::string& name : options.runs) {
        const bool is_b = runs.size() == 1;
        runs.push_back(
            open_run(name, is_b ? sets_of_b(options) : config::parse_sets(options.sets), progress));
    }
    if (runs.size() == 1) {
        runs.push_back(open_run(options.runs.front(), sets_of_b(options), progress));
    }
    // A and B may be the same configuration, whose name would not distinguish them.
    std::visit([&](auto& run) { run.name += with_sets_b(options); }, runs[1]);
    return runs;
}

/// Names of the runs in pages and tables: those of the caller, with the values of B that differ.
std::vector<std::string> names_of(const CompareOptions& options) {
    std::vector<std::string> names = options.runs;
    if (names.size() == 1) {
        names.push_back(names.front());
    }
    names[1] += with_sets_b(options);
    return names;
}

void require_runs(const CompareOptions& options) {
    constexpr std::size_t kPair = 2;
    require(options.runs.size() > 1 || !options.sets_b.empty(),
            "compare needs a run B, or --set-b with what differs from A in B");
    require(options.runs.size() <= kPair || options.sets_b.empty(),
            "--set-b changes B: allowed with A alone, or with A and B");
    require_file_name("--html", options.html);
    require_ending("--html", options.html, ".html");
    for (const std::string& run : options.runs) {
        // A run may be a folder with the report of an earlier run.
        if (options.html) {
            require_different(
                {{"--html", *options.html}},
                {{"run " + run, run}, {"run " + run, std::filesystem::path(run) / "report.json"}});
        }
    }
}

/// Events of the replays that figures_of() makes.
std::uint64_t cost_of_figures(const std::vector<ComparedRun>& runs, const timed_run::Draws& draws) {
    std::uint64_t events = 0;
    for (const ComparedRun& run : runs) {
        const auto* recorded = std::get_if<compare::RecordedRun>(&run);
        events +=
            recorded == nullptr ? 0 : compare::events_of(recorded->trace) * draws.num_replays();
    }
    return events;
}

/// Compares each other run with the first. Computes effects of constants only for two runs.
compare::AgainstBaseline against_first(std::vector<ComparedRun>& runs, const Moved& moved,
                                       const CompareOptions& options, ProgressLine& progress) {
    const timed_run::Draws draws = common_draws(runs, options);
    progress.begin("replaying", cost_of_figures(runs, draws));
    // Runs share the times of steps that are the same in both.
    timed_run::LaunchCache cache(launch_cache_folder());
    for (ComparedRun& run : runs) {
        if (auto* const recorded = std::get_if<compare::RecordedRun>(&run)) {
            recorded->cache = &cache;
        }
    }
    compare::AgainstBaseline result{names_of(options), {}};
    const compare::RunFigures baseline = figures_of(runs.front(), draws);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        result.others.push_back(
            compare::compare(baseline, figures_of(runs[i], draws), moved.constants));
    }
    return result;
}

/// Returns the comparison, and the text about missing effects of constants and drawn tensors.
std::pair<compare::AgainstBaseline, std::string> compared(const CompareOptions& options,
                                                          const Console& console) {
    ProgressLine progress(console);
    std::vector<ComparedRun> runs = open_runs(options, progress);
    const Moved moved =
        runs.size() == 2 ? moved_constants(runs[0], runs[1], options, progress) : Moved{};
    return {against_first(runs, moved, options, progress), moved.note + drawn_note(runs)};
}

/// Says so if two runs have no step in common: a user who mixed up names would take the difference
/// of unrelated programs for a result.
void note_unrelated(const compare::Comparison& comparison, const Console& console) {
    const bool has_common =
        std::ranges::any_of(comparison.steps, [](const auto& step) { return step.a && step.b; });
    if (!has_common) {
        console.err << fmt::format(
            "tessera: {} and {} have no step of the same name; only their total times are "
            "compared\n",
            comparison.a, comparison.b);
    }
}

ExitCode run(const CompareOptions& options, const Console& console) {
    require_runs(options);
    const std::optional<double> allowed =
        options.fail_if ? std::optional(slowdown_of(*options.fail_if)) : std::nullopt;
    std::optional<PartialFile> page;  // opened before the runs, since it may be refused
    if (options.html) {
        page.emplace(*options.html);
    }
    const auto [result, note] = compared(options, console);
    const bool is_pair = result.others.size() == 1;
    for (const compare::Comparison& comparison : result.others) {
        note_unrelated(comparison, console);
    }
    if (page) {
        page->write_at(0, std::as_bytes(std::span(std::string_view(to_html(result)))));
        page->finish();
    }
    if (options.json) {
        console.out << (is_pair ? to_json(result.others.front()) : to_json(result)).dump(2) << '\n';
    } else {
        constexpr std::size_t kVerdict = 2;  // its line, and an empty one before it
        const auto num_notes = static_cast<std::size_t>(std::ranges::count(note, '\n'));
        const std::string text = (is_pair ? to_text(result.others.front(), console.out_style)
                                          : to_text(result, console.out_style)) +
                                 note;
        console.out << (options.full ? text
                                     : one_screen_of(text, kVerdict + std::max(num_notes, 1UL)));
    }
    bool fails = false;
    for (const compare::Comparison& other : result.others) {
        if (allowed && is_too_slow(other.run, *allowed)) {
            fails = true;
            console.err << fmt::format("tessera: --fail-if {}: {} takes {:.1f} % longer\n",
                                       *options.fail_if, other.b,
                                       100 * (other.run.b->expected / other.run.a->expected - 1));
        }
    }
    return fails ? ExitCode::VerificationFailed : ExitCode::Success;
}

void add_options(CLI::App& command, CompareOptions& options) {
    command
        .add_option("RUNS", options.runs,
                    "A and B, or A and several others: reports, traces or run configurations [A "
                    "alone: B is A with the changes of --set-b]")
        ->required()
        ->type_name("");
    command.add_option("--html", options.html, "Write the comparison as a page to a file")
        ->type_name("FILE");
    add_repeated_option(command, "--set", options.sets, "KEY=VALUE",
                        "Replace a value of both configurations, or devices of traces; repeat the "
                        "option for each value");
    add_repeated_option(command, "--set-b", options.sets_b, "KEY=VALUE",
                        "Replace a value of B only, after those of --set");
    command
        .add_option("--fail-if", options.fail_if,
                    "End with 1 if another run is slower than A by more, and the verdict is "
                    "robust: slower-than=2%")
        ->type_name("LIMIT");
    add_draw_options(command, options.draws, "32, or as many as a report has");
    add_each_constant_flag(command, options.each_constant);
    command.add_flag("--json", options.json, "Print as JSON");
    add_full_flag(command, options.full);
    command.footer(
        "A report is the folder of --report or its report.json. A trace is timed on the device\n"
        "that it was recorded on. A configuration is run without computing values. A difference\n"
        "is robust if 95 % of the pairs have its sign, likely at 80 %, leaning at 60 %. In a\n"
        "pair both runs have the same draw of the timing constants and of the error that they\n"
        "share. A report holds the draws of its run (--draws). Each of several runs is compared\n"
        "with the first.");
}

}  // namespace

ExitCode compare_runs(const std::string& a, const std::string& b, const Console& console) {
    CompareOptions options;
    options.runs = {a, b};
    return run(options, console);
}

Command add_compare(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("compare", "Say which of several runs is faster, and why");
    auto options = std::make_shared<CompareOptions>();
    add_options(*command, *options);
    return {command, [options, &console] { return run(*options, console); }};
}

}  // namespace tessera::cli
