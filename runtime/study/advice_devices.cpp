// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice_devices.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::advise {
namespace {

using timing::LaunchPartition;

/// A device with at least this share of the longest time counts as the slowest one. In moe_v2 the
/// device that ends `down` last takes 98.2 % of the slowest device's time there.
constexpr double kAsSlow = 0.98;

std::size_t longest_of(std::span<const Millicycles> times) {
    return static_cast<std::size_t>(std::ranges::max_element(times) - times.begin());
}

/// Returns, by launch, the device that ends last before the next joint launch or the run's end.
/// Only its time reaches the makespan, since launches of one device follow each other.
std::vector<std::size_t> last_devices(std::span<const LaunchPartition> partitions,
                                      const report::TimingReport& before) {
    std::vector<std::size_t> last(partitions.size());
    for (std::size_t i = partitions.size(); i > 0; --i) {
        const std::size_t launch = i - 1;
        const bool devices_meet = i == partitions.size() || is_joint(partitions[i]);
        last[launch] = devices_meet ? longest_of(before.launches[launch].device_end) : last[i];
    }
    return last;
}

/// Returns the parts of all devices, without those that have the times of an identical part.
std::vector<std::size_t> different_parts(const LaunchPartition& partition) {
    std::vector<std::size_t> parts = partition.representatives;
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
}

std::vector<std::size_t> deciding_parts(const LaunchPartition& partition,
                                        std::span<const Millicycles> times, std::size_t last) {
    const std::size_t longest = longest_of(times);
    const bool is_slow =
        static_cast<double>(times[last]) >= kAsSlow * static_cast<double>(times[longest]);
    std::vector<std::size_t> parts;
    for (std::size_t part = 0; part < partition.parts.size(); ++part) {
        const std::size_t device = partition.parts[part].devices.first;
        if (device == last || (device == longest && !is_slow)) {
            parts.push_back(part);
        }
    }
    return parts;
}

}  // namespace

bool is_joint(const LaunchPartition& partition) {
    return std::ranges::any_of(partition.parts,
                               [](const auto& part) { return part.devices.count > 1; });
}

std::vector<std::vector<std::size_t>> parts_to_replay(
    std::span<const LaunchPartition> partitions, const report::TimingReport& before,
    std::span<const std::vector<Millicycles>> device_times, RuleDevices devices) {
    const std::vector<std::size_t> last = last_devices(partitions, before);
    std::vector<std::vector<std::size_t>> parts(partitions.size());
    for (std::size_t launch = 0; launch < partitions.size(); ++launch) {
        if (is_joint(partitions[launch])) {
            continue;
        }
        parts[launch] =
            devices == RuleDevices::All
                ? different_parts(partitions[launch])
                : deciding_parts(partitions[launch], device_times[launch], last[launch]);
    }
    return parts;
}

LaunchTrace launch_of(const LaunchTrace& launch, const timing::LaunchPart& part) {
    return {.name = launch.name,
            .dispatch = launch.dispatch,
            .cores = {part.cores.begin(), part.cores.end()},
            .initial_words = launch.initial_words};
}

std::vector<Millicycles> times_after(std::span<const Millicycles> unedited,
                                     std::span<const Millicycles> replayed) {
    const std::size_t slowest = longest_of(replayed);
    const bool has_scale = replayed[slowest] > 0 && unedited[slowest] > 0;
    const double change =
        has_scale ? static_cast<double>(replayed[slowest]) / static_cast<double>(unedited[slowest])
                  : 1;
    std::vector<Millicycles> times(replayed.begin(), replayed.end());
    for (std::size_t device = 0; device < times.size(); ++device) {
        // A device that was not replayed changes by the share of the slowest one that was.
        if (times[device] < 0) {
            times[device] = std::llround(static_cast<double>(unedited[device]) * change);
        }
    }
    return times;
}

}  // namespace tessera::advise
