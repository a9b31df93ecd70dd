// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/run_record.hpp"

namespace tessera::report {

std::vector<std::string> failed_steps(const RunRecord& record) {
    std::vector<std::string> names;
    for (const StepRecord& step : record.steps) {
        if (step.check && !step.check->passed()) {
            names.push_back(step.name);
        }
    }
    return names;
}

}  // namespace tessera::report
