// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_sweep.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "emu/base/host_memory.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/errors.hpp"

namespace tessera::sweep {
namespace {

constexpr std::array<std::string_view, 3> kTimingOnly{"arch.timing.", "arch.clock", "host."};

/// Returns whether a key can change the recorded trace. Costs, the clock and the host's threads
/// cannot, which tests hold: traces are the same bytes at any number of threads.
bool changes_trace(const std::string& path, Checks checks) {
    const bool is_timing = std::ranges::any_of(
        kTimingOnly, [&](std::string_view prefix) { return path.starts_with(prefix); });
    return !is_timing && (checks == Checks::Compared || !path.starts_with("verify."));
}

// Exit code of a run whose result failed its check.
constexpr int kCheckFailed = 1;

/// Points that share one recording; the first of them is recorded.
using Group = std::vector<std::size_t>;

/// Groups the points for which `is_due` is true by the recording that they share. Running kernels
/// takes most of a sweep's time; a point that changes `arch.timing` only costs a replay.
template <class IsDue>
std::vector<Group> groups_of(const config::LoadedSweep& sweep, IsDue is_due) {
    // A run that compares values depends on the keys of `verify:`, one without values does not.
    const Checks checks = sweep.sweep.values ? Checks::Compared : Checks::Ignored;
    std::vector<Group> groups;
    std::map<std::string, std::size_t> group_at;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        if (!is_due(i)) {
            continue;
        }
        const auto [at, is_new] =
            group_at.try_emplace(recording_key(sweep.points[i].loaded, checks), groups.size());
        if (is_new) {
            groups.emplace_back();
        }
        groups[at->second].push_back(i);
    }
    return groups;
}

std::vector<std::string> values_of(const config::SweepPoint& point,
                                   const std::vector<std::string>& keys) {
    // A point that leaves a key at the run file's value has an empty cell.
    std::vector<std::string> values(keys.size());
    for (const config::Override& setting : point.settings) {
        const auto key = std::ranges::find(keys, setting.path);
        values[static_cast<std::size_t>(key - keys.begin())] = setting.value;
    }
    return values;
}

// keys_of() lists keys of cases first, so that their number splits a point's values into case and
// choice.
std::size_t num_case_keys_of(const config::LoadedSweep& sweep) {
    std::set<std::string> keys;
    for (const config::SweepSettings& given : sweep.sweep.cases) {
        for (const config::Override& setting : given) {
            keys.insert(setting.path);
        }
    }
    return keys.size();
}

void add_points(const config::LoadedSweep& sweep, SweepResult& result) {
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const config::SweepPoint& point = sweep.points[i];
        result.points.push_back({.values = values_of(point, result.keys),
                                 .case_index = point.case_index,
                                 .recorded_by = i,
                                 .figures = std::nullopt,
                                 .failure = point.impossible});
        // The first point of a case names it.
        if (point.case_index == result.cases.size()) {
            result.cases.push_back(case_name_of(result, i));
        }
    }
}

SweepResult empty_result(const config::LoadedSweep& sweep) {
    SweepResult result{.name = sweep.name,
                       .question = sweep.sweep.question,
                       .rank_by = sweep.sweep.rank_by,
                       .has_values = sweep.sweep.values,
                       .cases = {},
                       .keys = keys_of(sweep),
                       .num_case_keys = num_case_keys_of(sweep),
                       .labels = {},
                       .points = {}};
    result.labels = labels_of(result.keys);
    add_points(sweep, result);
    return result;
}

std::vector<timed_run::RunTimer> timers_of(const config::LoadedSweep& sweep, const Group& group,
                                           std::uint32_t num_draws) {
    std::vector<timed_run::RunTimer> timers;
    for (const std::size_t point : group) {
        const config::LoadedRun& loaded = sweep.points[point].loaded;
        // Paths give what bounds a point; the rest of a report is not kept.
        timers.emplace_back(
            sweep.name, timed_run::machine_of(loaded),
            timed_run::TimerOptions{.num_draws = num_draws, .detail = timed_run::Detail::Paths});
    }
    return timers;
}

/// Running sweep. Free threads take groups in order.
class SweepRun {
public:
    SweepRun(const config::LoadedSweep& sweep, const SweepOptions& options)
        : sweep_(sweep),
          options_(options),
          threads_(options.threads == 0 ? std::max(1U, std::thread::hardware_concurrency())
                                        : options.threads),
          result_(empty_result(sweep)) {}

    SweepResult run() {
        // The cache comes first: a group whose points all have times needs no recording.
        take_kept();
        if (options_.searches) {
            for (std::size_t i = 0; i < result_.cases.size(); ++i) {
                search(i);
            }
            skip_other_points();
        } else {
            run_points([this](std::size_t point) { return is_due(point); });
        }
        return std::move(result_);
    }

private:
    /// Takes figures of possible points from the cache.
    void take_kept() {
        for (std::size_t i = 0; options_.cache != nullptr && i < sweep_.points.size(); ++i) {
            if (sweep_.points[i].impossible.empty()) {
                result_.points[i].figures = options_.cache->find(sweep_.points[i].loaded);
                result_.num_cached += result_.points[i].figures ? 1 : 0;
            }
        }
    }

    [[nodiscard]] bool is_due(std::size_t point) const {
        const PointResult& result = result_.points[point];
        return sweep_.points[point].impossible.empty() && !result.figures && result.failure.empty();
    }

    [[nodiscard]] bool is_stopped() const { return options_.stop != nullptr && *options_.stop; }

    template <class IsWanted>
    void run_points(IsWanted is_wanted) {
        groups_ = groups_of(sweep_, is_wanted);
        // By group, so that the error that is reported does not depend on which thread failed
        // first.
        errors_.assign(groups_.size(), nullptr);
        next_ = 0;
        result_.num_recordings += groups_.size();
        report_progress();
        if (!groups_.empty() && !is_stopped()) {
            ++next_;
            // Alone on all threads: its peak of memory shows how many others fit at the same time.
            run_group(0, threads_);
            // Side by side comes second, with the memory of the first group known.
            run_side_by_side();
        }
        for (const std::exception_ptr& error : errors_) {
            if (error) {
                std::rethrow_exception(error);
            }
        }
        // Groups that were not taken when the sweep was stopped.
        for (std::size_t i = next_; i < groups_.size(); ++i) {
            fail(groups_[i], "not run: the sweep was stopped", 0);
        }
    }

    /// Returns whether two points of a case are equal in all keys but one.
    [[nodiscard]] bool differ_in(std::size_t a, std::size_t b, std::size_t key) const {
        if (result_.points[a].case_index != result_.points[b].case_index) {
            return false;
        }
        for (std::size_t i = 0; i < result_.keys.size(); ++i) {
            if (i != key && result_.points[a].values[i] != result_.points[b].values[i]) {
                return false;
            }
        }
        return true;
    }

    /// Returns the best point that differs from `from` in one key; `from` if none has a time.
    std::size_t best_along(std::size_t from, std::size_t key) {
        run_points([&](std::size_t i) { return is_due(i) && differ_in(from, i, key); });
        std::size_t best = from;
        for (std::size_t i = 0; i < result_.points.size(); ++i) {
            if (result_.points[i].figures && differ_in(from, i, key) &&
                (!result_.points[best].figures || time_of(i) < time_of(best))) {
                best = i;
            }
        }
        return best;
    }

    [[nodiscard]] double time_of(std::size_t point) const {
        return counted_time(result_, *result_.points[point].figures);
    }

    /// Searches key by key from the case's first possible point, until no key makes it faster. A
    /// local search: in its test it runs 8 of 12 points and finds the best point of the grid.
    void search(std::size_t case_index) {
        std::size_t at = 0;
        while (at < result_.points.size() && (result_.points[at].case_index != case_index ||
                                              !sweep_.points[at].impossible.empty())) {
            ++at;
        }
        std::size_t unchanged = 0;
        for (std::size_t key = 0; at < result_.points.size() && unchanged < result_.keys.size();
             key = (key + 1) % result_.keys.size()) {
            const std::size_t best = best_along(at, key);
            // 1 after a change: the key that led here need not be tried again from the new point.
            unchanged = best == at ? unchanged + 1 : 1;
            at = best;
            if (is_stopped()) {
                return;
            }
        }
    }

    void skip_other_points() {
        for (std::size_t i = 0; i < result_.points.size(); ++i) {
            if (is_due(i)) {
                result_.points[i].is_skipped = true;
                result_.points[i].failure = "not run: the search passed it by";
            }
        }
    }

    void report_progress() const {
        if (options_.on_progress) {
            options_.on_progress(done_, result_.num_recordings);
        }
    }

    void run_side_by_side() {
        const auto run_some = [this] {
            while (const auto group = take_next()) {
                run_group(*group, 1);
            }
        };
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < num_workers(); ++i) {
                others.emplace_back(run_some);
            }
        } catch (const std::system_error&) {
            // The host refuses more threads (ulimit -u); this thread runs the remaining groups.
        }
        run_some();
    }

    [[nodiscard]] std::size_t num_workers() const {
        const std::uint64_t each = std::max<std::uint64_t>(1, peak_memory());
        // The largest recording so far stands for the next one: sizes of points are not known
        // before. The memory that is free now counts: other programs of the host need theirs.
        const std::uint64_t fitting = host_memory_available().bytes / each;
        return std::min<std::uint64_t>({threads_, 1 + fitting, groups_.size() - next_});
    }

    std::optional<std::size_t> take_next() {
        const std::lock_guard lock(mutex_);
        return next_ < groups_.size() && !is_stopped() ? std::optional(next_++) : std::nullopt;
    }

    void run_group(std::size_t index, std::uint32_t threads) {
        // Replays of a group run as its kernels do, launch by launch.
        const Group& group = groups_[index];
        try {
            auto timers = timers_of(sweep_, group, options_.num_draws);
            const std::string failure = record(group.front(), threads, timers);
            finish(group, failure, timers);
        } catch (const InternalError&) {
            errors_[index] = std::current_exception();
            // A mistake of one point, such as a deadlock, leaves the others to run. A fault of
            // Tessera must not look like a slow point.
        } catch (const Error& error) {
            fail(group, error.what(), error.exit_code());
        } catch (...) {  // most likely the host's memory; run_points() rethrows it
            errors_[index] = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        ++done_;
        report_progress();
    }

    std::string record(std::size_t point, std::uint32_t threads,
                       std::vector<timed_run::RunTimer>& timers) {
        config::LoadedRun loaded = sweep_.points[point].loaded;
        // Threads of the host change no value and no time of a run, only its speed.
        loaded.run.host.threads = threads;
        pipeline::RunModes modes =
            sweep_.sweep.values ? pipeline::RunModes{} : pipeline::timing_only(loaded.pipeline);
        modes.trace = TraceMode::On;
        modes.trace_sink = [&timers](const Trace& so_far, LaunchTrace&& launch) {
            // Each launch is replayed for all points of the group and dropped: whole traces would
            // not fit.
            timed_run::add_to_all(timers, so_far, launch);
        };
        return options_.record(loaded, modes);
    }

    void finish(const Group& group, const std::string& failure,
                std::vector<timed_run::RunTimer>& timers) {
        if (!failure.empty()) {
            return fail(group, failure, kCheckFailed);
        }
        for (std::size_t i = 0; i < group.size(); ++i) {
            result_.points[group[i]].recorded_by = group.front();
            result_.points[group[i]].figures = compare::figures_of(timers[i].finish());
            keep(group[i]);
        }
    }

    // Stores a point in the cache. If the disk is full, the point keeps its time and the reason is
    // shown.
    void keep(std::size_t index) {
        if (options_.cache == nullptr) {
            return;
        }
        PointResult& point = result_.points[index];
        try {
            options_.cache->keep(sweep_.points[index].loaded, *point.figures);
        } catch (const UsageError& error) {
            point.not_kept = error.what();
        }
    }

    void fail(const Group& group, const std::string& failure, int exit_code) {
        // Points of a group have one recording and fail together.
        for (const std::size_t point : group) {
            result_.points[point].recorded_by = group.front();
            result_.points[point].failure = failure;
            result_.points[point].exit_code = exit_code;
        }
    }

    const config::LoadedSweep& sweep_;
    const SweepOptions& options_;
    std::vector<Group> groups_;
    std::uint32_t threads_;
    SweepResult result_;
    std::mutex mutex_;
    std::size_t next_ = 0;
    std::size_t done_ = 0;
    std::vector<std::exception_ptr> errors_;  ///< by group
};

}  // namespace

namespace {

void mark_interrupted(SweepResult& result) {
    result.is_interrupted = true;
    for (PointResult& point : result.points) {
        if (!point.figures && point.failure.empty() && !point.is_skipped) {
            point.failure = "did not run: the sweep was interrupted";
        }
    }
}

}  // namespace

SweepResult run_sweep(const config::LoadedSweep& sweep, const SweepOptions& options) {
    require_possible(sweep);
    SweepResult result = SweepRun(sweep, options).run();
    if (options.stop != nullptr && *options.stop) {
        mark_interrupted(result);
    }
    return result;
}

std::string recording_key(const config::LoadedRun& loaded, Checks checks) {
    std::string key;
    for (const config::ResolvedValue& value : loaded.resolved) {
        if (changes_trace(value.path, checks)) {
            key += value.path + "=" + value.text + "\n";
        }
    }
    return key;
}

}  // namespace tessera::sweep
