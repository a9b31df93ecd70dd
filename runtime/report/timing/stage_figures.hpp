// SPDX-License-Identifier: Apache-2.0
// What the stages of a run take, of its time and of the mesh's links.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

struct StageFigures {
    std::string name;
    Millicycles time = 0;  ///< of the run that its launches decide (run_path.hpp)
    std::uint64_t link_bytes = 0;
    std::vector<std::string> launches;
};
/// By stage, in the run file's order.
/// Precondition   the report has stages.
[[nodiscard]] std::vector<StageFigures> stage_figures(const TimingReport& report);

/// 0 where the run file does not say how many tokens a run works on.
[[nodiscard]] double tokens_per_second(const TimingReport& report);

}  // namespace tessera::report
