// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_group.hpp"

#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/study/figures_json.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/errors.hpp"

namespace tessera::sweep {
namespace {

// Exit code of a run whose result failed its check.
constexpr int kCheckFailed = 1;

std::vector<timed_run::RunTimer> timers_of(const config::LoadedSweep& sweep, const Group& group,
                                           const SweepOptions& options) {
    std::vector<timed_run::RunTimer> timers;
    for (const std::size_t point : group) {
        const config::LoadedRun& loaded = sweep.points[point].loaded;
        // Paths give what bounds a point; the rest of a report is not kept.
        timers.emplace_back(sweep.name, timed_run::machine_of(loaded),
                            timed_run::TimerOptions{.draws = options.draws,
                                                    .detail = timed_run::Detail::Paths,
                                                    .cache = options.launches});
    }
    return timers;
}

/// Runs the kernels of a point. Returns the failure of a check, or "".
std::string record(const config::LoadedSweep& sweep, const SweepOptions& options, std::size_t point,
                   std::uint32_t threads, std::vector<timed_run::RunTimer>& timers) {
    config::LoadedRun loaded = sweep.points[point].loaded;
    // Threads of the host change no value and no time of a run, only its speed.
    loaded.run.host.threads = threads;
    pipeline::RunModes modes =
        sweep.sweep.values ? pipeline::RunModes{} : pipeline::timing_only(loaded.pipeline);
    modes.trace = TraceMode::On;
    modes.trace_sink = [&timers](const Trace& so_far, LaunchTrace&& launch) {
        // Each launch is replayed for all points of the group and dropped: whole traces would not
        // fit.
        timed_run::add_to_all(timers, so_far, launch);
    };
    modes.sink_calls = SinkCalls::BesideKernels;
    return options.record(loaded, modes);
}

/// Stores a point in the cache. If the disk is full, the point keeps its time, and the reason is
/// returned.
std::string keep(const SweepOptions& options, const config::LoadedRun& point,
                 const compare::RunFigures& figures) {
    if (options.cache == nullptr) {
        return "";
    }
    try {
        options.cache->keep(point, figures);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

GroupResult failed(std::string failure, int exit_code) {
    return {.figures = {}, .not_kept = {}, .failure = std::move(failure), .exit_code = exit_code};
}

GroupResult timed(const config::LoadedSweep& sweep, const SweepOptions& options, const Group& group,
                  std::uint32_t threads) {
    auto timers = timers_of(sweep, group, options);
    std::string failure = record(sweep, options, group.front(), threads, timers);
    if (!failure.empty()) {
        return failed(std::move(failure), kCheckFailed);
    }
    GroupResult result;
    for (std::size_t i = 0; i < group.size(); ++i) {
        result.figures.push_back(compare::figures_of(timers[i].finish()));
        result.not_kept.push_back(
            keep(options, sweep.points[group[i]].loaded, result.figures.back()));
    }
    return result;
}

}  // namespace

GroupResult run_group(const config::LoadedSweep& sweep, const SweepOptions& options,
                      const Group& group, std::uint32_t threads) {
    try {
        return timed(sweep, options, group, threads);
    } catch (const InternalError& error) {
        // A mistake of one point, such as a deadlock, leaves the others to run. A fault of Tessera
        // must not look like a slow point.
        return {.figures = {}, .not_kept = {}, .failure = {}, .fault = error.what()};
    } catch (const Error& error) {
        return failed(error.what(), error.exit_code());
    } catch (const std::bad_alloc&) {
        return {.figures = {}, .not_kept = {}, .failure = {}, .fault = {}, .is_memory = true};
    }
}

std::string to_text(const GroupResult& result) {
    nlohmann::ordered_json json{{"figures", nlohmann::ordered_json::array()},
                                {"not_kept", result.not_kept},
                                {"failure", result.failure},
                                {"exit_code", result.exit_code},
                                {"fault", result.fault},
                                {"is_memory", result.is_memory}};
    for (const compare::RunFigures& figures : result.figures) {
        json["figures"].push_back(to_json(figures));
    }
    // A message may quote bytes of a file that are not UTF-8.
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

GroupResult result_from_text(const std::string& text) {
    const auto json = nlohmann::ordered_json::parse(text);
    GroupResult result{.figures = {},
                       .not_kept = json.at("not_kept").get<std::vector<std::string>>(),
                       .failure = json.at("failure"),
                       .exit_code = json.at("exit_code"),
                       .fault = json.at("fault"),
                       .is_memory = json.at("is_memory")};
    for (const auto& figures : json.at("figures")) {
        result.figures.push_back(compare::figures_from_json(figures));
    }
    return result;
}

}  // namespace tessera::sweep
