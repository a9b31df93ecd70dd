// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/report_files.hpp"

#include <nlohmann/json.hpp>

#include "runtime/report/file_set.hpp"
#include "runtime/report/timing/html_page.hpp"
#include "runtime/report/timing/perfetto.hpp"
#include "runtime/report/timing/timing_json.hpp"

namespace tessera::report {

void write_report(const std::filesystem::path& directory, const TimingReport& report,
                  const config::Resolved& resolved, const RunRecord* run) {
    const nlohmann::ordered_json json = to_json(report, resolved, run);
    write_together(directory, {{"report.json", json.dump()},
                               {"report.html", html_page(json)},
                               {"trace.perfetto.json", perfetto_trace(report)}});
}

}  // namespace tessera::report
