// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/assumed_shares.hpp"

#include <span>
#include <string_view>

#include "emu/timing/constants_of.hpp"
#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/path_parts.hpp"

namespace tessera::report {
namespace {

using Keys = std::span<const std::string_view>;

/// Keys below `timing.` that price what a share of the path is called after.
std::vector<std::string_view> constants_behind(std::string_view name) {
    std::vector<std::string_view> keys;
    const auto add = [&keys](std::span<const std::string_view> more) {
        keys.insert(keys.end(), more.begin(), more.end());
    };
    for (std::size_t i = 0; i < kNumActivities; ++i) {
        const auto activity = static_cast<Activity>(i);
        add(label_of(activity) == name ? timing::constants_of(activity) : Keys{});
    }
    for (std::size_t i = 0; i < kNumResourceKinds; ++i) {
        const auto kind = static_cast<ResourceKind>(i);
        add(label_of(kind) == name ? timing::constants_of(kind) : Keys{});
    }
    add(name == kBetweenLaunches ? timing::constants_of_gaps() : Keys{});
    return keys;
}

// "arch.timing.risc.cb_push" → "risc.cb_push"; empty for keys that are no constants of time.
std::string_view below_timing(std::string_view path) {
    constexpr std::string_view kTiming = "timing.";
    constexpr std::string_view kArch = "arch.";
    path.remove_prefix(path.starts_with(kArch) ? kArch.size() : 0);
    return path.starts_with(kTiming) ? path.substr(kTiming.size()) : std::string_view{};
}

bool stands_for(std::string_view constant, std::string_view key) {
    return constant.ends_with('.') ? key.starts_with(constant) : key == constant;
}

std::vector<std::string> assumed_of(const std::string& part,
                                    const std::vector<const config::ResolvedValue*>& assumed) {
    std::vector<std::string> paths;
    for (const std::string_view constant : constants_behind(part)) {
        for (const config::ResolvedValue* value : assumed) {
            if (stands_for(constant, below_timing(value->path))) {
                paths.push_back(value->path);
            }
        }
    }
    return paths;
}

}  // namespace

std::vector<AssumedShare> assumed_shares(const TimingReport& report,
                                         const config::Resolved& resolved) {
    const auto assumed = config::assumed(resolved);
    std::vector<AssumedShare> shares;
    for (const BoundShare& bound : bounds_of(report)) {
        auto constants = assumed_of(bound.name, assumed);
        if (!constants.empty()) {
            shares.push_back({bound.name, bound.time, std::move(constants)});
        }
    }
    return shares;
}

}  // namespace tessera::report
