// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/sweep_spec.hpp"

namespace tessera::config {

std::vector<SweepSettings> points_of(const SweepSpec& sweep) {
    std::vector<SweepSettings> points = sweep.points;
    if (points.empty()) {
        points.emplace_back();
    }
    for (const SweepAxis& axis : sweep.grid) {
        std::vector<SweepSettings> longer;
        for (const SweepSettings& point : points) {
            for (const Override& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

}  // namespace tessera::config
