// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/assumed_shares.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "runtime/config/field_table.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/run_path.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {
namespace {

using Constants = std::span<const config::PricedConstant>;
using Assumed = std::vector<const config::ResolvedValue*>;

// Returns "risc.cb_push" for "arch.timing.risc.cb_push"; empty for other keys than timing
// constants.
std::string_view below_timing(std::string_view path) {
    constexpr std::string_view kTiming = "timing.";
    constexpr std::string_view kArch = "arch.";
    path.remove_prefix(path.starts_with(kArch) ? kArch.size() : 0);
    return path.starts_with(kTiming) ? path.substr(kTiming.size()) : std::string_view{};
}

bool stands_for(std::string_view constant, std::string_view key) {
    return constant.ends_with('.') ? key.starts_with(constant) : key == constant;
}

/// Returns the keys of `assumed` that are in `constants`.
std::vector<std::string> assumed_among(Constants constants, const Assumed& assumed) {
    std::vector<std::string> paths;
    for (const config::PricedConstant& constant : constants) {
        for (const config::ResolvedValue* value : assumed) {
            if (stands_for(constant.key, below_timing(value->path))) {
                paths.push_back(value->path);
            }
        }
    }
    return paths;
}

class Shares {
public:
    explicit Shares(const Assumed& assumed) : assumed_(assumed) {}

    void add(const std::string& name, Millicycles time, Constants constants) {
        const std::vector<std::string> paths = assumed_among(constants, assumed_);
        if (paths.empty() || time <= 0) {
            return;
        }
        AssumedShare& share = shares_[name];
        share.name = name;
        share.time += time;
        for (const std::string& path : paths) {
            if (std::ranges::find(share.constants, path) == share.constants.end()) {
                share.constants.push_back(path);
            }
        }
    }
    [[nodiscard]] std::vector<AssumedShare> largest_first() const {
        std::vector<AssumedShare> shares;
        for (const auto& [name, share] : shares_) {
            shares.push_back(share);
        }
        std::ranges::stable_sort(shares, std::ranges::greater{}, &AssumedShare::time);
        return shares;
    }

private:
    const Assumed& assumed_;
    std::map<std::string, AssumedShare> shares_;
};

Millicycles between_launches(const TimingReport& report) {
    for (const BoundShare& bound : bounds_of(report)) {
        if (bound.name == kBetweenLaunches) {
            return bound.time;
        }
    }
    return 0;
}

}  // namespace

std::vector<AssumedShare> assumed_shares(const TimingReport& report,
                                         const config::Resolved& resolved) {
    Assumed assumed = config::assumed(resolved);
    // An activity's list has constants of all its calls, and a run makes some of them.
    std::erase_if(assumed, [&](const config::ResolvedValue* value) {
        return !report.constants_read.contains(below_timing(value->path));
    });
    Shares shares(assumed);
    for (const PathPart& part : path_of_run(report)) {
        shares.add(bound_name(part), part.time, config::constants_of(part.activity, part.resource));
    }
    shares.add(std::string(kBetweenLaunches), between_launches(report),
               config::constants_of_gaps());
    return shares.largest_first();
}

}  // namespace tessera::report
