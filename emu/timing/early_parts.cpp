// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/early_parts.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::timing {
namespace {

/// A part is early if it ends before this share of the launch. The share may be this high, because
/// constants drawn within their ranges change all devices alike. Compared with draws that skip no
/// part, the interval of fp8_deepseek_v3's run changes by 0.4 %, that of moe_v2's by 0.2 %.
constexpr double kEarly = 0.9;

}  // namespace

EarlyParts::EarlyParts(const LaunchPartition& partition, std::span<const Millicycles> known_times,
                       std::span<const Millicycles> starts)
    : partition_(partition), known_times_(known_times), starts_(starts) {
    const std::size_t count = partition.parts.size();
    if (known_times.empty() || count < 2) {
        return;
    }
    for (std::size_t part = 1; part < count; ++part) {
        last_ = known_end(part) > known_end(last_) ? part : last_;
    }
    const double early = kEarly * static_cast<double>(known_end(last_));
    // A part is replayed for the parts that are identical to it as well, so the latest counts.
    std::vector<bool> is_late(count);
    for (std::size_t part = 0; part < count; ++part) {
        if (static_cast<double>(known_end(part)) >= early) {
            is_late[partition.representatives[part]] = true;
        }
    }
    is_left_out_.resize(count);
    for (std::size_t part = 0; part < count; ++part) {
        is_left_out_[part] = !is_late[partition.representatives[part]];
    }
}

void EarlyParts::fill(std::vector<LaunchTimeline>& timelines) const {
    if (is_left_out_.empty()) {
        return;
    }
    const Millicycles known = known_times_[device_of(last_)];
    const Millicycles time = timelines[last_].makespan - starts_[device_of(last_)];
    // A device that ended last because it began last may have had no work: it gives no scale.
    const double change = known > 0 ? static_cast<double>(time) / static_cast<double>(known) : 1;
    for (std::size_t part = 0; part < timelines.size(); ++part) {
        if (!is_left_out_[part]) {
            continue;
        }
        const std::size_t device = device_of(part);
        LaunchTimeline& timeline = timelines[part];
        timeline.makespan =
            starts_[device] + std::llround(static_cast<double>(known_times_[device]) * change);
        timeline.device_end.assign(starts_.size(), 0);
        timeline.device_end[device] = timeline.makespan;
    }
}

}  // namespace tessera::timing
