// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/report_files.hpp"

#include <nlohmann/json.hpp>

#include "runtime/report/file_set.hpp"
#include "runtime/report/timing/timing_json.hpp"

namespace tessera::report {

void write_report(const std::filesystem::path& directory, const TimingReport& report,
                  const config::Resolved& resolved, const RunRecord* run) {
    write_together(directory, {{"report.json", to_json(report, resolved, run).dump()}});
}

}  // namespace tessera::report
