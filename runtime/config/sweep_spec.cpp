// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/sweep_spec.hpp"

#include <algorithm>
#include <limits>

namespace tessera::config {

namespace {

/// Returns each of `points` extended by each of `more`; `points` if `more` is empty.
SweepPoints combined(SweepPoints points, const SweepPoints& more) {
    if (more.empty()) {
        return points;
    }
    SweepPoints longer;
    for (const SweepSettings& point : points) {
        for (const SweepSettings& settings : more) {
            longer.push_back(point);
            longer.back().insert(longer.back().end(), settings.begin(), settings.end());
        }
    }
    return longer;
}

/// Returns a point for each value of an axis.
SweepPoints points_of(const SweepAxis& axis) {
    SweepPoints points;
    for (const Override& value : axis.values) {
        points.push_back({value});
    }
    return points;
}

}  // namespace

std::uint64_t num_points(const SweepSpec& sweep) {
    std::uint64_t count = 1;
    // Counted before the points are built, so that a grid of 10^10 points is refused and not
    // allocated.
    const auto multiply = [&count](std::size_t by) {
        if (__builtin_mul_overflow(count, std::max<std::size_t>(1, by), &count)) {
            count = std::numeric_limits<std::uint64_t>::max();
        }
    };
    multiply(sweep.cases.size());
    multiply(sweep.points.size());
    for (const SweepAxis& axis : sweep.grid) {
        multiply(axis.values.size());
    }
    return count;
}

SweepPoints points_of(const SweepSpec& sweep) {
    // Cases change slowest, so that the points of a case are neighbours (load_sweep).
    SweepPoints points = combined(combined({{}}, sweep.cases), sweep.points);
    for (const SweepAxis& axis : sweep.grid) {
        points = combined(std::move(points), points_of(axis));
    }
    return points;
}

}  // namespace tessera::config
