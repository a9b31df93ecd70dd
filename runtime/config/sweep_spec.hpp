// SPDX-License-Identifier: Apache-2.0
// The `sweep:` block of a configuration: the values of keys to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/config/override.hpp"

namespace tessera::config {

/// A key and the values that it takes one after another. Origins are the values' positions in the
/// file.
struct SweepAxis {
    std::string path;
    std::vector<Override> values;
    friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};
using SweepAxes = std::vector<SweepAxis>;

/// One point as written in the file: a value for each key that it names.
using SweepSettings = std::vector<Override>;
using SweepPoints = std::vector<SweepSettings>;

/// Contents of the block.
struct SweepSpec {
    std::string question;  ///< question that the sweep answers, in a sentence
    std::string rank_by;   ///< launch whose time ranks the points; "run": the whole run
    bool values = false;   ///< tile maths on, every step compared as `verify` says
    SweepPoints cases;
    SweepPoints points;
    SweepAxes grid;
};

/// Returns the number of points of points_of; 2^64 − 1 if there are more.
[[nodiscard]] std::uint64_t num_points(const SweepSpec& sweep);

/// Returns each of `cases` with each of `points` with each combination of `grid`; the last key
/// changes fastest. Empty `cases` or `points` count as one without settings.
[[nodiscard]] std::vector<SweepSettings> points_of(const SweepSpec& sweep);

}  // namespace tessera::config
