// SPDX-License-Identifier: Apache-2.0
// tessera tune: keeps the best point of a sweep for a shape in a table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/cli/sweep.hpp"
#include "runtime/study/run_sweep.hpp"
#include "runtime/study/tuning_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct TuneOptions {
    ConfigOptions config;
    std::optional<std::string> table;
    bool again = false;
    bool explains = false;
};

tuning::Choice choose(const TuneOptions& options, const config::LoadedSweep& sweep,
                      const Console& console) {
    ProgressLine progress(console);
    timed_run::LaunchCache launches(launch_cache_folder());
    const auto result = sweep::run_sweep(
        sweep, {.draws = {.count = 0},  // only expected times decide
                .launches = &launches,
                .threads = threads_of(options.config.threads),
                .record = record_point,
                .on_progress = [&](std::size_t done,
                                   std::size_t all) { progress.count("recordings", done, all); },
                .link = console.link});
    return tuning::choice_of(sweep, result, TESSERA_VERSION);
}

void print_choice(const tuning::Choice& choice, const char* word, const TuneOptions& options,
                  const Console& console) {
    console.out << fmt::format("{}: {}, {} us\n", word, choice.candidates.front().point,
                               choice.candidates.front().us);
    if (options.explains) {
        console.out << explanation(choice);
    }
}

ExitCode tune(const TuneOptions& options, const Console& console) {
    const config::LoadedSweep sweep =
        open_sweep(options.config, {.out = {}, .cache = {}, .table = options.table});
    tuning::TuningTable table(*options.table);
    if (!options.again) {
        const auto* kept = table.find(sweep.points.front().loaded, TESSERA_VERSION);
        if (kept != nullptr) {
            print_choice(*kept, "kept", options, console);
            return ExitCode::Success;
        }
    }
    tuning::Choice choice = choose(options, sweep, console);
    if (!ranks::is_first(console.link)) {
        return ExitCode::Success;
    }
    print_choice(choice, "chosen", options, console);
    table.keep(std::move(choice));
    return ExitCode::Success;
}

}  // namespace

Command add_tune(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("tune", "Keep the fastest point of a sweep for later runs");
    auto options = std::make_shared<TuneOptions>();
    add_config_options(*command, options->config);
    add_threads_option(*command, options->config);
    command->add_option("--table", options->table, "File that keeps the choices")
        ->required()
        ->type_name("FILE");
    command->add_flag("--again", options->again, "Choose again, even if the table has a choice");
    command->add_flag("--explain", options->explains, "Print all candidates");
    command->footer(
        "CONFIG is a sweep without cases, such as fp8_tile; --set gives the shape. FILE keeps\n"
        "the choice under that shape, and tessera run --tuned FILE uses it. A choice for\n"
        "another machine, another pipeline, other kernels or another version is refused.");
    return {command, [options, &console] { return tune(*options, console); }, Ranks::Several};
}

}  // namespace tessera::cli
