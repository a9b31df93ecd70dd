// SPDX-License-Identifier: Apache-2.0
// Time and link traffic of the stages of a run.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

struct StageFigures {
    std::string name;
    Millicycles time = 0;  ///< time of the run that its launches bound (run_path.hpp)
    std::uint64_t link_bytes = 0;
    std::vector<std::string> launches;
};
/// Returns the figures by stage, in the run file's order.
/// Precondition   the report has stages.
[[nodiscard]] std::vector<StageFigures> stage_figures(const TimingReport& report);

/// Returns tokens a second; 0 if the run file does not state the number of tokens.
[[nodiscard]] double tokens_per_second(const TimingReport& report);

}  // namespace tessera::report
