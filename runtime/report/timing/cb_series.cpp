// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/cb_series.hpp"

#include <algorithm>

namespace tessera::report {
namespace {

using Points = std::vector<std::pair<Millicycles, std::uint32_t>>;

double mean_of(const Points& pages, Millicycles makespan) {
    double sum = 0;
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const Millicycles end = i + 1 < pages.size() ? pages[i + 1].first : makespan;
        sum += static_cast<double>(pages[i].second) * static_cast<double>(end - pages[i].first);
    }
    return makespan > 0 ? sum / static_cast<double>(makespan) : 0;
}

Points merged(const Points& pages, Millicycles shortest) {
    Points points;
    for (const auto& [time, level] : pages) {
        if (points.empty() || time - points.back().first >= shortest) {
            points.emplace_back(time, level);
        } else {
            points.back().second = std::max(points.back().second, level);
        }
    }
    if (!points.empty() && points.back().second != pages.back().second) {
        points.push_back(pages.back());  // what is left at the end is no peak
    }
    return points;
}

}  // namespace

CbSeries cb_series(const CbLevel& level, const CoreTrace& core, Millicycles makespan,
                   std::size_t limit) {
    CbSeries series{.core = level.core, .cb = level.cb};
    const auto cb = std::ranges::find(core.cbs, level.cb, &CbTrace::index);
    series.capacity = cb == core.cbs.end() ? 0 : cb->pages;
    series.mean = mean_of(level.pages, makespan);
    for (const auto& [time, pages] : level.pages) {
        series.most = std::max(series.most, pages);
    }
    series.points = level.pages;
    if (level.pages.size() > limit) {
        const auto divisor = static_cast<Millicycles>(std::max<std::size_t>(limit, 1));
        series.merged_below = std::max<Millicycles>(1, makespan / divisor);
        series.points = merged(level.pages, series.merged_below);
    }
    return series;
}

}  // namespace tessera::report
