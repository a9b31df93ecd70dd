// SPDX-License-Identifier: Apache-2.0
// The goals that benches measure, gathered from what they wrote: reached, wanted, met or not.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace tessera::bench {

enum class Bound : std::uint8_t { AtLeast, AtMost };

/// One goal: a benchmark with the counters `ratio` and `goal`, named by the benchmark.
struct Goal {
    std::string name;
    double reached = 0;  ///< median over the repetitions
    double wanted = 0;
    Bound bound = Bound::AtLeast;  ///< AtMost where the counter `goal_is_upper` is not 0
    std::string failure;           ///< what the benchmark said when it gave up; else empty

    [[nodiscard]] bool is_met() const noexcept;
};

/// The goals among the benchmarks of one run in Google Benchmark's JSON, in order; repetitions are
/// folded. Benchmarks without a goal are left out, those that failed are kept.
/// Errors   UsageError if `run` is not what Google Benchmark writes.
[[nodiscard]] std::vector<Goal> goals_of(const nlohmann::json& run);

/// "AMD EPYC, 2 CPUs": `processor` as the host calls it, the number as the run counted.
[[nodiscard]] std::string machine_of(const nlohmann::json& run, const std::string& processor);

/// Goals as a table of four columns, and the machine below.
[[nodiscard]] std::string to_text(std::span<const Goal> goals, const std::string& machine);
/// {"machine": …, "goals": [{"goal", "reached", "wanted", "bound", "met"[, "failure"]}]}.
[[nodiscard]] nlohmann::json to_json(std::span<const Goal> goals, const std::string& machine);

}  // namespace tessera::bench
