// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/core_figures.hpp"

#include <algorithm>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

void add(const CoreActivity& activity, CoreActivity& sum) {
    sum.tiles_packed += activity.tiles_packed;
    sum.tiles_multiplied += activity.tiles_multiplied;
    sum.bytes_read += activity.bytes_read;
    sum.bytes_written += activity.bytes_written;
    sum.bytes_linked += activity.bytes_linked;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
    if (values.empty()) {
        return {};
    }
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    const bool is_odd = values.size() % 2 == 1;
    const double median = is_odd ? values[half] : (values[half - 1] + values[half]) / 2;
    return {values.front(), median, values.back()};
}

double work_of(const CoreActivity& core) noexcept {
    return static_cast<double>(core.tiles_packed);
}

std::vector<double> shares_of_busiest(std::span<const CoreActivity> cores) {
    double busiest = 0;
    for (const CoreActivity& core : cores) {
        busiest = std::max(busiest, work_of(core));
    }
    std::vector<double> shares;
    for (const CoreActivity& core : cores) {
        shares.push_back(busiest > 0 ? work_of(core) / busiest : 0);
    }
    return shares;
}

std::vector<CoreActivity> sum_by_core(std::span<const CoreActivity> activities,
                                      std::uint32_t num_devices, GridSize grid) {
    std::vector<CoreActivity> sums;
    for (std::uint32_t device = 0; device < num_devices; ++device) {
        for (std::uint32_t y = 0; y < grid.rows; ++y) {
            for (std::uint32_t x = 0; x < grid.columns; ++x) {
                sums.push_back({.device = device, .core = {x, y}});
            }
        }
    }
    for (const CoreActivity& activity : activities) {
        const std::size_t row = std::size_t{activity.device} * grid.rows + activity.core.y;
        const std::size_t index = row * grid.columns + activity.core.x;
        ensure(activity.core.x < grid.columns && index < sums.size(),
               "activity of core {} of device {} outside {} devices of {}×{}",
               to_string(activity.core), activity.device, num_devices, grid.columns, grid.rows);
        add(activity, sums[index]);
    }
    return sums;
}

}  // namespace tessera::report
