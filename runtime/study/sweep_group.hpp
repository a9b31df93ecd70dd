// SPDX-License-Identifier: Apache-2.0
// Points of a sweep that share one recording: kernels run once, and each point is a replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/study/run_sweep.hpp"

namespace tessera::sweep {

/// Numbers of the points of a group, ascending; the kernels run with the first one's values.
using Group = std::vector<std::size_t>;

/// Result of the points of a group. They have one recording and fail together.
struct GroupResult {
    std::vector<compare::RunFigures> figures;  ///< by point of the group; empty after a failure
    std::vector<std::string> not_kept;  ///< by point: why the cache does not have its figures
    std::string failure;                ///< an error of the run, or a failed check
    int exit_code = 0;                  ///< of a failure
    /// A fault that ends the sweep: an InternalError's text, or "" with `is_memory`.
    std::string fault;
    bool is_memory = false;  ///< the host has no memory left
};

/// Runs the kernels of a group and replays each point. Errors of the emulated program are part of
/// the result; so are faults, since another rank may have to report them.
[[nodiscard]] GroupResult run_group(const config::LoadedSweep& sweep, const SweepOptions& options,
                                    const Group& group, std::uint32_t threads);

/// Returns the result as one line of JSON, from which result_from_text() returns the same values.
[[nodiscard]] std::string to_text(const GroupResult& result);
[[nodiscard]] GroupResult result_from_text(const std::string& text);

}  // namespace tessera::sweep
