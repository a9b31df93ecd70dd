// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tessera::advise {
namespace {

using report::LaunchReport;
using report::PathPart;
using report::StallReport;

std::string text_of(const report::SourceLine& line) {
    return fmt::format("{}:{}", line.file, line.line);
}

template <class IsOf>
std::optional<report::SourceLine> longest_part(const LaunchReport& launch, IsOf is_of) {
    // The critical path decides: a line off the path may be busy and delay nothing.
    std::map<std::uint32_t, Millicycles> times;
    for (const PathPart& part : launch.path) {
        // Line 0 means time without a line of a kernel.
        if (part.line != 0 && is_of(part)) {
            times[part.line] += part.time;
        }
    }
    const auto longest =
        std::ranges::max_element(times, {}, [](const auto& line) { return line.second; });
    return longest == times.end() ? std::nullopt : std::optional(launch.lines.at(longest->first));
}

template <class IsOf>
std::string longest_line(const LaunchReport& launch, IsOf is_of) {
    const auto line = longest_part(launch, is_of);
    return line ? text_of(*line) : "";
}

}  // namespace

std::string line_on_path(const LaunchReport& launch, std::span<const Activity> activities) {
    return longest_line(launch, [&](const PathPart& part) {
        return std::ranges::find(activities, part.activity) != activities.end();
    });
}

std::string line_on_path(const LaunchReport& launch, std::span<const ResourceKind> resources) {
    return longest_line(launch, [&](const PathPart& part) {
        return std::ranges::find(resources, part.resource) != resources.end();
    });
}

std::optional<report::SourceLine> line_of_reads(const LaunchReport& launch) {
    return longest_part(
        launch, [](const PathPart& part) { return part.activity == Activity::WaitNocRead; });
}

std::string text_of_read_line(const LaunchReport& launch) {
    const auto line = line_of_reads(launch);
    return line ? text_of(*line) : "";
}

// All of the wait, not only its direct part: a full CB passes on what its consumer waits for.
std::string full_cb(const LaunchReport& launch) {
    const auto wait_of = [](const StallReport& stall) {
        return stall.activity == Activity::WaitCbSpace ? stall.total : Millicycles{0};
    };
    const auto longest = std::ranges::max_element(launch.stalls, {}, wait_of);
    if (longest == launch.stalls.end() || wait_of(*longest) == 0) {
        return "";
    }
    return longest->waiter_line == 0 ? longest->object
                                     : fmt::format("{}, {}", longest->object,
                                                   text_of(launch.lines.at(longest->waiter_line)));
}

}  // namespace tessera::advise
