// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/report_fields.hpp"

#include <fmt/format.h>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

constexpr std::uint32_t kMerged = 32;  // added to an activity
static_assert(kNumActivities <= kMerged);
constexpr std::size_t kPointSize = 5;

SourceLine line_of(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return {};
    }
    return {text.substr(0, colon), static_cast<std::uint32_t>(std::stoul(text.substr(colon + 1)))};
}

TimelinePoint point_of(const Json& json, std::size_t at) {
    const auto activity = json.at(at + 1).get<std::uint32_t>();
    return {.end = json.at(at),
            .activity = static_cast<Activity>(activity % kMerged),
            .is_merged = activity >= kMerged,
            .line = json.at(at + 2),
            .object = json.at(at + 3),
            .cause = json.at(at + 4).get<std::uint32_t>() - 1};
}

}  // namespace

Json LineCode::write(const std::vector<SourceLine>& lines) {
    Json json = Json::array();
    for (const SourceLine& line : lines) {
        json.push_back(line.file.empty() ? "" : fmt::format("{}:{}", line.file, line.line));
    }
    return json;
}

void LineCode::read(const Json& json, std::vector<SourceLine>& lines) {
    lines.clear();
    for (const Json& line : json) {
        lines.push_back(line_of(line));
    }
}

Json LineTimeCode::write(const std::vector<LineTime>& times) {
    Json json = Json::array();
    for (const LineTime& time : times) {
        json.push_back(time.busy);
        json.push_back(time.waiting);
    }
    return json;
}

void LineTimeCode::read(const Json& json, std::vector<LineTime>& times) {
    times.clear();
    for (std::size_t i = 0; i + 1 < json.size(); i += 2) {
        times.push_back({json.at(i), json.at(i + 1)});
    }
}

Json PointCode::write(const std::vector<TimelinePoint>& points) {
    Json json = Json::array();
    for (const TimelinePoint& point : points) {
        json.push_back(point.end);
        json.push_back(static_cast<std::uint32_t>(point.activity) +
                       (point.is_merged ? kMerged : 0));
        json.push_back(point.line);
        json.push_back(point.object);
        json.push_back(point.cause + 1);
    }
    return json;
}

void PointCode::read(const Json& json, std::vector<TimelinePoint>& points) {
    points.clear();
    for (std::size_t at = 0; at < json.size(); at += kPointSize) {
        points.push_back(point_of(json, at));
    }
}

Json CauseCode::write(const std::vector<PointCause>& causes) {
    Json json = Json::array();
    for (const PointCause& cause : causes) {
        json.push_back(
            {cause.thread == kNoThread ? -1 : std::int64_t{cause.thread}, cause.line, cause.time});
    }
    return json;
}

void CauseCode::read(const Json& json, std::vector<PointCause>& causes) {
    causes.clear();
    for (const Json& cause : json) {
        const auto thread = cause.at(0).get<std::int64_t>();
        causes.push_back({thread < 0 ? kNoThread : static_cast<std::uint32_t>(thread), cause.at(1),
                          cause.at(2)});
    }
}

Json LevelCode::write(const Levels& levels) {
    Json json = Json::array();
    for (const auto& [time, pages] : levels) {
        json.push_back(time);
        json.push_back(pages);
    }
    return json;
}

void LevelCode::read(const Json& json, Levels& levels) {
    levels.clear();
    for (std::size_t at = 0; at < json.size(); at += 2) {
        levels.emplace_back(json.at(at), json.at(at + 1));
    }
}

Json TransitCode::write(const Times& times) {
    Json json = Json::object();
    for (std::size_t kind = 0; kind < times.size(); ++kind) {
        if (times[kind] != 0) {
            json[std::string(key_of(static_cast<ResourceKind>(kind)))] = times[kind];
        }
    }
    return json;
}

void TransitCode::read(const Json& json, Times& times) {
    for (std::size_t kind = 0; kind < times.size(); ++kind) {
        times[kind] =
            json.value(std::string(key_of(static_cast<ResourceKind>(kind))), Millicycles{0});
    }
}

Json RegimeCode::write(const Regimes& regimes) {
    Json json = Json::object();
    for (std::size_t r = 0; r < regimes.size(); ++r) {
        if (regimes[r].share > 0) {
            json[std::string(name_of(static_cast<timing::Regime>(r)))] = {
                {"share", regimes[r].share}, {"error", regimes[r].error}};
        }
    }
    return json;
}

void RegimeCode::read(const Json& json, Regimes& regimes) {
    for (std::size_t r = 0; r < regimes.size(); ++r) {
        const auto found = json.find(std::string(name_of(static_cast<timing::Regime>(r))));
        regimes[r] = found == json.end() ? RegimeError{}
                                         : RegimeError{found->at("share"), found->at("error")};
    }
}

Json FormatCode::write(DataFormat format) {
    return name_of(format);
}

void FormatCode::read(const Json& json, DataFormat& format) {
    const auto& name = json.get_ref<const std::string&>();
    for (unsigned value = 0; value <= 0xFF; ++value) {
        if (name == name_of(static_cast<DataFormat>(value))) {
            const bool is_invalid = name == name_of(DataFormat::Invalid);
            format = is_invalid ? DataFormat::Invalid : static_cast<DataFormat>(value);
            return;
        }
    }
    throw UsageError(
        fmt::format("unknown format '{}' in the report; written by another version?", name));
}

}  // namespace tessera::report
