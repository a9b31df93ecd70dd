// SPDX-License-Identifier: Apache-2.0
// tessera sweep: the points of a configuration with a sweep block, ranked.
#include "runtime/cli/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <ostream>

#include "runtime/cli/command.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/log/log.hpp"
#include "runtime/study/run_sweep.hpp"
#include "runtime/study/sweep_files.hpp"
#include "runtime/study/sweep_text.hpp"
#include "runtime/study/tuning_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

struct SweepOptions {
    ConfigOptions config;
    SweepPlaces places;
    DrawOptions draws;
    bool search = false;
    bool csv = false;
    bool quiet = false;
};

/// While this object exists, the first Ctrl-C requests the end of the sweep; the second ends the
/// process.
class StopAtInterrupt {
public:
    StopAtInterrupt() {
        stop = false;
        // A signal that the parent process set to be ignored stays ignored.
        is_set_ = sigaction(SIGINT, nullptr, &before_) == 0 && before_.sa_handler != SIG_IGN;
        if (is_set_) {
            struct sigaction action {};
            action.sa_handler = [](int) { stop = true; };
            action.sa_flags = static_cast<int>(SA_RESETHAND);
            sigaction(SIGINT, &action, nullptr);
        }
    }
    ~StopAtInterrupt() {
        if (is_set_) {
            sigaction(SIGINT, &before_, nullptr);
        }
    }
    StopAtInterrupt(const StopAtInterrupt&) = delete;
    StopAtInterrupt& operator=(const StopAtInterrupt&) = delete;

    static inline std::atomic<bool> stop = false;

private:
    struct sigaction before_ {};
    bool is_set_ = false;
};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

void print(const sweep::SweepResult& result, const SweepOptions& options, const Console& console) {
    if (options.csv) {
        console.out << sweep::to_csv(result);
    } else if (options.quiet) {
        console.out << sweep::answer_text(result);
    } else {
        console.out << sweep::to_text(result, console.out_style);
    }
}

// Exit code of the first point whose run failed.
ExitCode exit_code_of(const sweep::SweepResult& result) {
    for (const sweep::PointResult& point : result.points) {
        if (point.exit_code != 0) {
            return static_cast<ExitCode>(point.exit_code);
        }
    }
    return ExitCode::Success;
}

/// Errors   UsageError with the first reason why times of points were not stored in the cache.
void require_kept(const sweep::SweepResult& result, const SweepOptions& options) {
    const auto lost = [](const sweep::PointResult& point) { return !point.not_kept.empty(); };
    const auto first = std::ranges::find_if(result.points, lost);
    require(first == result.points.end(),
            "--cache {}: the times of {} of {} points are not kept: {}",
            options.places.cache.value_or(""), std::ranges::count_if(result.points, lost),
            result.points.size(), first == result.points.end() ? "" : first->not_kept);
}

/// Ends the process by SIGINT, so that a shell ends the loop that the command is in.
ExitCode end_by_interrupt(const std::string& message, const Console& console) {
    console.err << "tessera: " << message << '\n';
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
    return ExitCode::WrongInput;  // not reached
}

/// Prints and writes the finished points, then ends the process by SIGINT.
ExitCode end_interrupted(const config::LoadedSweep& sweep, const sweep::SweepResult& result,
                         const SweepOptions& options, const Console& console) {
    print(result, options, console);
    console.out << std::flush;
    const bool has_times = !sweep::ranking(result).empty();
    if (options.places.out && has_times) {
        sweep::write_files(*options.places.out, sweep, result);
    }
    const char* files = !options.places.out ? ""
                        : has_times         ? "; its files say so"
                                            : "; no file was written";
    return end_by_interrupt(sweep::interrupted_text(result) + files, console);
}

ExitCode run(const SweepOptions& options, const Console& console) {
    require(!options.csv || !options.quiet, "--csv and --quiet exclude each other");
    const config::LoadedSweep sweep = open_sweep(options.config, options.places);
    std::optional<sweep::PointCache> cache;
    if (options.places.cache) {
        cache.emplace(*options.places.cache, options.draws.draws(), sweep.sweep.values);
    }
    timed_run::LaunchCache launches(launch_cache_folder());
    sweep::SweepResult result;
    {
        const StopAtInterrupt interrupt;
        ProgressLine progress(console);
        result = sweep::run_sweep(
            sweep, {.draws = options.draws.draws(),
                    .launches = &launches,
                    .threads = threads_of(options.config.threads),
                    .record = record_point,
                    .on_progress =
                        [&](std::size_t done, std::size_t all) {
                            progress.count("recordings", done, all);
                            log::info(log::Area::Replay, "sweep: {} of {} recordings", done, all);
                        },
                    .cache = cache ? &*cache : nullptr,
                    .searches = options.search,
                    .stop = &StopAtInterrupt::stop,
                    .link = console.link});
    }
    if (!ranks::is_first(console.link)) {
        return ExitCode::Success;
    }
    if (result.is_interrupted) {
        return end_interrupted(sweep, result, options, console);
    }
    // Printed before files are written, so that a full disk does not lose the table.
    print(result, options, console);
    console.out << std::flush;
    if (options.places.out) {
        sweep::write_files(*options.places.out, sweep, result);
    }
    require_kept(result, options);
    if (StopAtInterrupt::stop) {
        return end_by_interrupt("interrupted after the last point; the sweep is complete", console);
    }
    return exit_code_of(result);
}

}  // namespace

void add_sweep_places(CLI::App& command, SweepPlaces& places) {
    command
        .add_option("--out", places.out,
                    "Write sweep.csv, sweep.html and best.yaml (best_1.yaml on, with cases) to a "
                    "folder")
        ->type_name("DIR");
    command
        .add_option("--cache", places.cache,
                    "Keep the times of points in a folder, and use those that are there: an "
                    "interrupted sweep continues")
        ->type_name("DIR");
}

std::string record_point(const config::LoadedRun& loaded, const pipeline::RunModes& modes) {
    const report::RunRecord record = pipeline::run_pipeline(loaded, modes);
    const auto failed = failed_steps(record);
    return failed.empty() ? ""
                          : fmt::format("values are too far from their references: {}",
                                        fmt::join(failed, ", "));
}

config::LoadedSweep open_sweep(const ConfigOptions& options, const SweepPlaces& places) {
    require_folder_name("--out", places.out);
    require_folder_name("--cache", places.cache);
    require_file_name("--table", places.table);
    require_yaml_ending("--table", places.table);
    (void)threads_of(options.threads);
    config::LoadedSweep sweep = load_sweep(options);
    config::require_possible(sweep);
    if (places.table) {
        tuning::require_one_shape(sweep);
    }
    if (places.out) {
        sweep::require_places(*places.out, sweep);
    }
    return sweep;
}

Command add_sweep(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand("sweep", "Run many variants of a configuration, ranked");
    auto options = std::make_shared<SweepOptions>();
    add_config_options(*command, options->config);
    add_threads_option(*command, options->config);
    add_draw_options(*command, options->draws);
    add_sweep_places(*command, options->places);
    command->add_flag("--search", options->search,
                      "Run only the points that a search visits: it sets key by key to the best "
                      "value, until no change is better");
    command->add_flag("--csv", options->csv, "Print sweep.csv instead of the text");
    command->add_flag("--quiet", options->quiet, "Print only the answer: a line for each case");
    command->footer(
        "CONFIG is a run configuration with a block `sweep:`, or the name of one in\n"
        "configs/sweeps. Points that differ only in the device's times are recorded once and\n"
        "timed separately. Points are ranked by expected time. A point is robustly slower if it\n"
        "is slower in 95 % of the pairs, in which both points have the same draw of the timing\n"
        "constants; likely at 80 %, leaning at 60 %. The exit code is that of the first point\n"
        "whose run failed. Points that a rule forbids are listed and are no failures. Ctrl-C\n"
        "ends the sweep after the current recordings and writes the table and files of the\n"
        "finished points; a second Ctrl-C ends it at once.\n"
        "--cache identifies a point by its values, the device, the shipped kernels and this\n"
        "build of tessera; points with kernels of the run file itself always run. A search\n"
        "begins at the first point of each case, and ends at a point that no change of one key\n"
        "improves.");
    return {command, [options, &console] { return run(*options, console); }, Ranks::Several};
}

}  // namespace tessera::cli
