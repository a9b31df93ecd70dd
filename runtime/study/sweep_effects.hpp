// SPDX-License-Identifier: Apache-2.0
// What each key of a sweep changes, all else being equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// Numbers of one unit stand in their order on an axis; names stand as they first appear.
enum class AxisKind : std::uint8_t { Numbers, Names };

struct Axis {
    AxisKind kind = AxisKind::Names;
    std::vector<std::string> values;
};

/// Collects the values that points give a key, in the order of an axis.
[[nodiscard]] Axis axis_of(const SweepResult& result, std::size_t key);

/// How much the time depends on one key. Points that differ in this key alone make a group.
struct KeyEffect {
    Axis axis;
    std::size_t num_groups = 0;  ///< of two points or more
    double mean = 1;             ///< slowest over fastest time of a group, geometric mean
    double most = 1;             ///< the same of the group in which it is largest
    std::vector<std::size_t>
        wins;  ///< by value: groups in which it is fastest, the first of equals
};

/// Compares the points of `ranked` with each other, key by key.
[[nodiscard]] std::vector<KeyEffect> effects_of(const SweepResult& result,
                                                const std::vector<Ranked>& ranked);

}  // namespace tessera::sweep
