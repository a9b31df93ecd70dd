// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/sweep_spec.hpp"

namespace tessera::config {

namespace {

/// Each of `points` followed by each of `more`, if there are any.
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

SweepPoints points_of(const SweepAxis& axis) {
    SweepPoints points;
    for (const Override& value : axis.values) {
        points.push_back({value});
    }
    return points;
}

}  // namespace

SweepPoints points_of(const SweepSpec& sweep) {
    SweepPoints points = combined(combined({{}}, sweep.cases), sweep.points);
    for (const SweepAxis& axis : sweep.grid) {
        points = combined(std::move(points), points_of(axis));
    }
    return points;
}

}  // namespace tessera::config
