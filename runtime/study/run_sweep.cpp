// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "emu/base/host_memory.hpp"
#include "runtime/config/read.hpp"
#include "runtime/pipeline/drawn_scores.hpp"
#include "runtime/ranks/work_queue.hpp"
#include "runtime/study/figures_json.hpp"
#include "runtime/study/sweep_group.hpp"
#include "tessera/errors.hpp"

namespace tessera::sweep {
namespace {

constexpr const char* kNotRun = "not run: the sweep was interrupted";
constexpr std::array<std::string_view, 3> kTimingOnly{"arch.timing.", "arch.clock", "host."};

/// Returns whether a key can change the recorded trace. Costs, the clock and the host's threads
/// cannot, which tests hold: traces are the same bytes at any number of threads.
bool changes_trace(const std::string& path, Checks checks) {
    const bool is_timing = std::ranges::any_of(
        kTimingOnly, [&](std::string_view prefix) { return path.starts_with(prefix); });
    return !is_timing && (checks == Checks::Compared || !path.starts_with("verify."));
}

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
    // All possible points count, not only those without a time: the files of a sweep that continues from
    // its cache are the same bytes as those of one that was not interrupted.
    for (const Group& group :
         groups_of(sweep, [&](std::size_t i) { return sweep.points[i].impossible.empty(); })) {
        for (const std::size_t point : group) {
            result.points[point].recorded_by = group.front();
        }
    }
}

/// Returns the value of a fact such as `{value: 12 cycles, range: …, source: …}`; nothing for other
/// values, which are short.
std::optional<std::string> value_of_fact(const std::string& text) {
    if (!text.starts_with('{')) {
        return std::nullopt;
    }
    const config::Node node = config::read_text_at(text, {});
    const config::Node* value = node.find("value");
    return value == nullptr ? std::nullopt : std::optional(config::to_yaml(*value));
}

/// Returns labels of the facts that a sweep gives a key. Facts that differ in more than their
/// values keep their text, because one label would name two points.
void add_value_labels(const config::LoadedSweep& sweep, SweepResult& result) {
    std::map<std::pair<std::string, std::string>, std::set<std::string>> texts;
    for (const config::SweepPoint& point : sweep.points) {
        for (const config::Override& setting : point.settings) {
            const std::string label = value_of_fact(setting.value).value_or(setting.value);
            texts[{setting.path, label}].insert(setting.value);
        }
    }
    for (const auto& [key_and_label, values] : texts) {
        if (values.size() == 1 && *values.begin() != key_and_label.second) {
            result.value_labels.emplace(*values.begin(), key_and_label.second);
        }
    }
}

/// Returns the tensors that a sweep without values draws in at least one of its points.
std::vector<std::string> drawn_by(const config::LoadedSweep& sweep) {
    std::vector<std::string> drawn;
    for (const config::SweepPoint& point : sweep.points) {
        if (sweep.sweep.values || !point.impossible.empty()) {
            continue;
        }
        for (std::string& name : pipeline::drawn_tensors(point.loaded.pipeline)) {
            if (std::ranges::find(drawn, name) == drawn.end()) {
                drawn.push_back(std::move(name));
            }
        }
    }
    return drawn;
}

SweepResult empty_result(const config::LoadedSweep& sweep) {
    SweepResult result{.name = sweep.name,
                       .question = sweep.sweep.question,
                       .rank_by = sweep.sweep.rank_by,
                       .has_values = sweep.sweep.values,
                       .drawn = drawn_by(sweep),
                       .cases = {},
                       .keys = keys_of(sweep),
                       .num_case_keys = num_case_keys_of(sweep),
                       .labels = {},
                       .points = {}};
    result.labels = labels_of(result.keys);
    add_value_labels(sweep, result);
    add_points(sweep, result);
    return result;
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
    /// Takes figures of possible points from the cache. Rank 0 reads it for all: another rank might
    /// find a point that was kept a moment ago, and would plan other groups.
    void take_kept() {
        if (options_.cache == nullptr) {
            return;
        }
        std::string kept;
        for (std::size_t i = 0; ranks::is_first(options_.link) && i < sweep_.points.size(); ++i) {
            if (sweep_.points[i].impossible.empty()) {
                if (const auto figures = options_.cache->find(sweep_.points[i].loaded)) {
                    kept += fmt::format("{} {}\n", i, to_json(*figures).dump());
                }
            }
        }
        std::istringstream lines(ranks::shared_text(options_.link, kept));
        std::size_t point = 0;
        for (std::string figures; lines >> point && std::getline(lines, figures);) {
            result_.points.at(point).figures =
                compare::figures_from_json(nlohmann::ordered_json::parse(figures));
            ++result_.num_cached;
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
        result_.num_recordings += groups_.size();
        report_progress(0);
        ranks::WorkQueue queue(options_.link, groups_.size(),
                               [this](std::size_t done) { report_progress(done); });
        const auto run_next = [&](std::uint32_t threads) {
            const auto group = is_stopped() ? std::nullopt : queue.take();
            if (group) {
                queue.give(*group, to_text(run_group(sweep_, options_, groups_[*group], threads)));
            }
            return group.has_value();
        };
        // Alone on all threads: its peak of memory shows how many others fit at the same time.
        if (run_next(threads_)) {
            ranks::run_on_threads(num_workers(), [&] {
                while (run_next(1)) {
                }
            });
        }
        queue.stop();
        const auto results = queue.finish();
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            // Groups without a result were not taken when the sweep was stopped. A sweep that is
            // stopped during its last recordings has all results, and is not interrupted.
            result_.is_interrupted = result_.is_interrupted || !results[i];
            finish(groups_[i],
                   results[i] ? result_from_text(*results[i])
                              : GroupResult{.figures = {}, .not_kept = {}, .failure = kNotRun});
        }
        done_ += groups_.size();
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
            // A search whose remaining points all have times continues after Ctrl-C.
            if (result_.is_interrupted) {
                return;
            }
        }
    }

    void skip_other_points() {
        for (std::size_t i = 0; i < result_.points.size(); ++i) {
            if (is_due(i)) {
                // An interrupted search might have visited the point.
                result_.points[i].is_skipped = !result_.is_interrupted;
                result_.points[i].failure =
                    result_.is_interrupted ? kNotRun : "not run: the search passed it by";
            }
        }
    }

    /// `done` counts recordings of this call of run_points().
    void report_progress(std::size_t done) const {
        if (options_.on_progress) {
            options_.on_progress(done_ + done, result_.num_recordings);
        }
    }

    [[nodiscard]] std::size_t num_workers() const {
        const std::uint64_t each = std::max<std::uint64_t>(1, peak_memory());
        // The next recording is assumed to be as large as the largest so far: sizes of points are
        // not known before. Only memory that is free now counts; other programs need the rest.
        const std::uint64_t fitting = host_memory_available().bytes / each;
        return std::min<std::uint64_t>({threads_, 1 + fitting, groups_.size()});
    }

    /// Errors   InternalError or bad_alloc if the group ended by a fault. Groups are finished in
    ///          order, so that the fault that is reported does not depend on threads and ranks.
    void finish(const Group& group, const GroupResult& result) {
        if (!result.fault.empty()) {
            throw InternalError(result.fault);
        }
        if (result.is_memory) {
            throw std::bad_alloc();
        }
        for (std::size_t i = 0; i < group.size(); ++i) {
            PointResult& point = result_.points[group[i]];
            point.failure = result.failure;
            point.exit_code = result.exit_code;
            if (result.failure.empty()) {
                point.figures = result.figures[i];
                point.not_kept = result.not_kept[i];
            }
        }
    }

    const config::LoadedSweep& sweep_;
    const SweepOptions& options_;
    std::vector<Group> groups_;
    std::uint32_t threads_;
    SweepResult result_;
    std::size_t done_ = 0;  ///< recordings of earlier calls of run_points()
};

}  // namespace

SweepResult run_sweep(const config::LoadedSweep& sweep, const SweepOptions& options) {
    require_possible(sweep);
    return SweepRun(sweep, options).run();
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
