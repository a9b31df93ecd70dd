// SPDX-License-Identifier: Apache-2.0
// Cache of the times of a sweep's points in a folder, so that an interrupted or extended sweep
// continues without repeating points.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/config/load_sweep.hpp"
#include "runtime/study/run_figures.hpp"
#include "runtime/study/run_timer.hpp"

namespace tessera::sweep {

/// One file for each point, named by everything that its times depend on: values of the run and of
/// the device with their ranges, shipped kernels, draws, and this build of the program. Several
/// threads and processes may use it at a time.
class PointCache {
public:
    /// Creates the folder.
    /// Errors   UsageError if it cannot be created.
    PointCache(std::filesystem::path folder, const timed_run::Draws& draws, bool has_values);

    /// Returns the figures of a point. Returns nothing if it is not cached, its file cannot be
    /// read, or the run has kernels of its own: their text is not part of the key.
    [[nodiscard]] std::optional<compare::RunFigures> find(const config::LoadedRun& point) const;
    void keep(const config::LoadedRun& point, const compare::RunFigures& figures) const;

private:
    [[nodiscard]] std::filesystem::path file_of(const config::LoadedRun& point) const;

    std::filesystem::path folder_;
    std::string made_by_;  ///< program, shipped kernels, draws, comparison of values
};

}  // namespace tessera::sweep
