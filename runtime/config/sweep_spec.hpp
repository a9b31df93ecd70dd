// SPDX-License-Identifier: Apache-2.0
// The `sweep:` block of a configuration: which values of which keys to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/config/override.hpp"

namespace tessera::config {

/// A key and the values it takes in turn. Origins are the values' places in the file.
struct SweepAxis {
    std::string path;
    std::vector<Override> values;
    friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};
using SweepAxes = std::vector<SweepAxis>;

/// One point as its author wrote it: a value for each key that it names.
using SweepSettings = std::vector<Override>;
using SweepPoints = std::vector<SweepSettings>;

struct SweepSpec {
    std::string question;  ///< what the sweep is to answer, in a sentence
    std::string rank_by;   ///< step by whose time points are ranked; "run" is all of them
    bool values = false;   ///< tile maths on, every step compared as `verify` says
    SweepPoints cases;
    SweepPoints points;
    SweepAxes grid;
};

/// How many points_of gives; the largest number there is if they are more than that.
[[nodiscard]] std::uint64_t num_points(const SweepSpec& sweep);

/// Each of `cases` with each of `points` (one without settings, if there are none) with each
/// combination of `grid`, the last key changing fastest.
[[nodiscard]] std::vector<SweepSettings> points_of(const SweepSpec& sweep);

}  // namespace tessera::config
