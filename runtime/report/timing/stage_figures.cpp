// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/stage_figures.hpp"

#include <algorithm>

#include "runtime/report/timing/run_path.hpp"

namespace tessera::report {

std::vector<StageFigures> stage_figures(const TimingReport& report) {
    const std::vector<LaunchWindow> windows = launch_windows(report);
    std::vector<StageFigures> figures;
    for (const RunStages::Stage& stage : report.stages->stages) {
        StageFigures& row = figures.emplace_back(StageFigures{stage.name, 0, 0, stage.launches});
        for (std::size_t i = 0; i < report.launches.size(); ++i) {
            if (std::ranges::find(stage.launches, report.launches[i].name) !=
                stage.launches.end()) {
                row.time += windows[i].until - windows[i].from;
                row.link_bytes += report.launches[i].work.link_bytes;
            }
        }
    }
    return figures;
}

double tokens_per_second(const TimingReport& report) {
    const auto cycles = static_cast<double>(report.makespan.expected) / 1000;
    return cycles > 0 ? static_cast<double>(report.stages->tokens) / cycles *
                            static_cast<double>(report.clock.value)
                      : 0;
}

}  // namespace tessera::report
