// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/report_files.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/report/file_set.hpp"
#include "runtime/report/timing/html_page.hpp"
#include "runtime/report/timing/timing_json.hpp"

namespace tessera::report {
namespace {

constexpr const char* kJson = "report.json";
constexpr const char* kHtml = "report.html";
constexpr const char* kPerfetto = "trace.perfetto.json";

}  // namespace

void require_report_places(const std::filesystem::path& directory) {
    const std::array<std::string, 3> names{kJson, kHtml, kPerfetto};
    require_places(directory, names);
}

void write_report(const std::filesystem::path& directory, const TimingReport& report,
                  const config::Resolved& resolved, const RunRecord* run) {
    const nlohmann::ordered_json json = to_json(report, resolved, run);
    write_together(directory, {{kJson, json.dump()},
                               {kHtml, html_page(kReportPage, json, PageData::Packed)},
                               {kPerfetto, perfetto_trace(report)}});
}

}  // namespace tessera::report
