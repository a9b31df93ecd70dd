// SPDX-License-Identifier: Apache-2.0
// tessera advise: replays a run with one thing changed at a time and prints what each change gains.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <variant>

#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/compared_run.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/study/advice.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct AdviseOptions {
    std::string run;
    std::vector<std::string> sets;
    std::optional<std::string> plot;
    bool each_constant = false;
    bool json = false;
    bool full = false;
    bool every_device = false;
};

struct Advised {
    advise::Advice advice;
    std::string note;               ///< drawn_note() of the run
    std::uint64_t events_left = 0;  ///< that --each-constant would replay; 0 if it was computed
};

Advised advised(const AdviseOptions& options, const Console& console) {
    ProgressLine progress(console);
    ComparedRun opened = open_run(options.run, config::parse_sets(options.sets), progress);
    auto* recorded = std::get_if<compare::RecordedRun>(&opened);
    require(recorded != nullptr,
            "{}: is a report, which holds no trace; allowed: a trace or a "
            "configuration",
            options.run);
    timed_run::LaunchCache cache(launch_cache_folder());
    recorded->cache = &cache;
    const std::uint64_t cost = advise::cost_of_sensitivity(*recorded);
    const bool moves_constants =
        options.each_constant || options.plot || cost <= compare::kCheapReplays;
    // Ranks share the constants, which take the most replays. The first one replays the rules
    // meanwhile.
    const bool replays_rules = ranks::is_first(console.link);
    progress.begin("replaying each rule");
    const auto devices =
        options.every_device ? advise::RuleDevices::All : advise::RuleDevices::Deciding;
    Advised result{replays_rules ? advise::advise(*recorded, devices) : advise::Advice{},
                   drawn_note({&opened, 1}), moves_constants ? 0 : cost};
    if (moves_constants) {
        progress.begin("moving each constant", cost);
        result.advice.constants = advise::sensitivity(*recorded, console.link);
    }
    return result;
}

ExitCode run(const AdviseOptions& options, const Console& console) {
    require_file_name("--plot", options.plot);
    require_ending("--plot", options.plot, ".svg");
    if (options.plot) {
        require_different({{"--plot", *options.plot}}, {{"the run", options.run}});
    }
    const bool writes = ranks::is_first(console.link);
    std::optional<PartialFile> plot;  // opened before the replays, since it may be refused
    if (options.plot && writes) {
        plot.emplace(*options.plot);
    }
    const auto [advice, note, events_left] = advised(options, console);
    if (!writes) {
        return ExitCode::Success;
    }
    if (plot) {
        const std::string svg = advise::effects_svg(advice.constants, advice.run);
        plot->write_at(0, std::as_bytes(std::span(svg)));
        plot->finish();
    }
    if (options.json) {
        console.out << to_json(advice).dump(2) << '\n';
    } else {
        const std::string text = to_text(advice, console.out_style);
        console.out << (options.full ? text : one_screen_of(text, 0))
                    << (note.empty() ? "" : "\n" + note);
        if (events_left > 0) {
            console.out << fmt::format(
                "\n"
                "effects of single constants were not computed; --each-constant replays {} "
                "million events for them\n",
                events_left / 1'000'000);
        }
    }
    return ExitCode::Success;
}

}  // namespace

Command add_advise(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("advise", "Say what would make a run faster, and by how much");
    auto options = std::make_shared<AdviseOptions>();
    command->add_option("RUN", options->run, "A trace or a run configuration")
        ->required()
        ->type_name("");
    add_set_option(*command, options->sets);
    add_each_constant_flag(*command, options->each_constant);
    command
        ->add_option("--plot", options->plot,
                     "Draw the ten constants with the largest effect to an SVG file; computes the "
                     "effect of each, even if that takes long")
        ->type_name("FILE");
    command->add_flag("--every-device", options->every_device,
                      "Replay all devices of a mesh for each rule, and not only those that decide "
                      "how long a step or the run takes");
    command->add_flag("--json", options->json, "Print as JSON");
    add_full_flag(*command, options->full);
    command->footer(
        "Replays the trace once for each rule. A change is one thing that a schedule could do:\n"
        "pages distributed over the banks, deeper CBs, a share of the reads on the other NoC. A\n"
        "bound is an unlimited resource: no schedule can gain more there. Gains are graded by\n"
        "pairs of draws: likely: 91 % of 256 pairs. Gains of several rules do not add up.");
    return {command, [options, &console] { return run(*options, console); }, Ranks::Several};
}

}  // namespace tessera::cli
