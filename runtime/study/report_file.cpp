// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/report_file.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/report/timing/timing_json.hpp"
#include "tessera/errors.hpp"

namespace tessera::compare {
namespace {

/// What figures need. Reports of other versions may lack other keys.
constexpr std::array<std::string_view, 8> kOfFigures{
    "name",          "machine.name",         "machine.clock_hz", "makespan",
    "launches.name", "launches.device_time", "launches.lines",   "launches.path"};

RunFigures figures_in(const nlohmann::ordered_json& json) {
    const report::ReadReport read = report::from_json(json, kOfFigures);
    return figures_of(read.report, read.shares);
}

}  // namespace

RunFigures read_report(const std::filesystem::path& path) {
    const std::filesystem::path file =
        std::filesystem::is_directory(path) ? path / "report.json" : path;
    std::ifstream stream(file);
    require(stream.good(), "{}: cannot be read", file.string());
    try {
        return figures_in(nlohmann::ordered_json::parse(stream));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
    } catch (const std::exception& error) {
        throw UsageError(fmt::format("{}: is no report: {}", file.string(), error.what()));
    }
}

}  // namespace tessera::compare
