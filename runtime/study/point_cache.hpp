// SPDX-License-Identifier: Apache-2.0
// Times of a sweep's points, kept in a folder: a sweep that was interrupted, or has more points
// now, goes on where it stood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/config/load_sweep.hpp"
#include "runtime/study/run_figures.hpp"

namespace tessera::sweep {

/// A file for each point, by all that its times follow from: values of the run and of the device
/// with their ranges, shipped kernels, draws, and the program itself, of which another build has
/// other files. May be used from several threads and processes at a time.
class PointCache {
public:
    /// Makes the folder.
    /// Errors   UsageError if it cannot be made.
    PointCache(std::filesystem::path folder, std::uint32_t num_draws, bool has_values);

    /// None if the point is not there, its file cannot be read, or kernels of the run's own would
    /// have to be the same, too.
    [[nodiscard]] std::optional<compare::RunFigures> find(const config::LoadedRun& point) const;
    void keep(const config::LoadedRun& point, const compare::RunFigures& figures) const;

private:
    [[nodiscard]] std::filesystem::path file_of(const config::LoadedRun& point) const;

    std::filesystem::path folder_;
    std::string made_by_;  ///< program, shipped kernels, draws, whether values are compared
};

}  // namespace tessera::sweep
