// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/report_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/timing_json.hpp"
#include "tessera/errors.hpp"

namespace tessera::compare {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema = "tessera.report";

report::PredictedTime predicted(const Json& time) {
    return {time.at("low"), time.at("expected"), time.at("high")};
}

Activity activity_of(const std::string& key) {
    for (std::size_t i = 0; i < kNumActivities; ++i) {
        if (report::key_of(static_cast<Activity>(i)) == key) {
            return static_cast<Activity>(i);
        }
    }
    throw UsageError(
        fmt::format("unknown activity '{}' in the report; written by another version?", key));
}

ResourceKind resource_of(const std::string& key) {
    for (std::size_t i = 0; i < kNumResourceKinds; ++i) {
        if (report::key_of(static_cast<ResourceKind>(i)) == key) {
            return static_cast<ResourceKind>(i);
        }
    }
    throw UsageError(
        fmt::format("unknown resource '{}' in the report; written by another version?", key));
}

std::optional<TimelineThread> thread_of(const Json& label) {
    for (std::size_t i = 0; label.is_string() && i < report::kNumTimelineThreads; ++i) {
        if (report::label_of(static_cast<TimelineThread>(i)) == label.get<std::string>()) {
            return static_cast<TimelineThread>(i);
        }
    }
    return std::nullopt;
}

// "kernels/reader.cpp:41"; "" is "no line".
report::SourceLine line_of(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return {};
    }
    return {text.substr(0, colon), static_cast<std::uint32_t>(std::stoul(text.substr(colon + 1)))};
}

report::PathPart part_of(const Json& json) {
    return {.thread = thread_of(json.at("thread")),
            .line = json.at("line"),
            .activity = activity_of(json.at("activity")),
            .resource = resource_of(json.at("resource")),
            .time = json.at("time"),
            .count = json.at("count")};
}

void add_launch(const Json& json, RunFigures& run) {
    report::LaunchReport launch;
    launch.name = json.at("name");
    launch.device_time = predicted(json.at("device_time"));
    for (const Json& line : json.at("lines")) {
        launch.lines.push_back(line_of(line));
    }
    std::vector<RunPart> parts;
    for (const Json& part : json.at("path")) {
        parts.push_back({part_of(part), part.at("time_of_run")});
    }
    add_step(launch, parts, run);
}

void require_schema(const Json& json) {
    const std::string schema = json.at("schema");
    const int version = json.at("version");
    require(schema == kSchema && version == report::kReportSchemaVersion,
            "schema {} of version {}, allowed: {} of version {}", schema, version, kSchema,
            report::kReportSchemaVersion);
}

RunFigures figures_in(const Json& json) {
    require_schema(json);
    const Json& machine = json.at("machine");
    RunFigures run{.name = json.at("name"),
                   .arch = machine.at("name"),
                   .clock = Hertz{machine.at("clock_hz")},
                   .time = predicted(json.at("makespan"))};
    for (const Json& launch : json.at("launches")) {
        add_launch(launch, run);
    }
    add_gaps(run);
    return run;
}

}  // namespace

RunFigures read_report(const std::filesystem::path& path) {
    const std::filesystem::path file =
        std::filesystem::is_directory(path) ? path / "report.json" : path;
    std::ifstream stream(file);
    require(stream.good(), "{}: cannot be read", file.string());
    try {
        return figures_in(Json::parse(stream));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
    } catch (const std::exception& error) {
        throw UsageError(fmt::format("{}: is no report: {}", file.string(), error.what()));
    }
}

}  // namespace tessera::compare
