// SPDX-License-Identifier: Apache-2.0
// Writes the stalls of timing_text.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "runtime/report/timing/timing_text.hpp"

namespace tessera::report {
namespace {

constexpr std::size_t kNumShown = 5;

std::string place_text(const LaunchReport& launch, TimelineThread thread, std::uint32_t index) {
    const SourceLine& line = launch.lines.at(index);
    return line.file.empty() ? std::string(label_of(thread))
                             : fmt::format("{} at {}:{}", label_of(thread), line.file, line.line);
}

/// Stall of one or more launches: steps with the same kernel share its stalls.
struct StallOfRun {
    const LaunchReport* launch = nullptr;  ///< launch of the longest wait
    StallReport stall;                     ///< sums, and the longest wait
    std::vector<std::string> launches;
};

std::string merge_key(const LaunchReport& launch, const StallReport& stall) {
    const std::string ender =
        stall.ender ? place_text(launch, *stall.ender, stall.ender_line) : std::string();
    return fmt::format("{}|{}|{}|{}", place_text(launch, stall.waiter, stall.waiter_line),
                       label_of(stall.activity), stall.object, ender);
}

void add(const LaunchReport& launch, const StallReport& stall, StallOfRun& sum) {
    const StallReport before = sum.stall;
    const bool is_longer = sum.launch == nullptr || stall.worst_end - stall.worst_begin >
                                                        before.worst_end - before.worst_begin;
    if (is_longer) {
        sum.launch = &launch;
        sum.stall = stall;
    }
    sum.stall.total = before.total + stall.total;
    sum.stall.direct = before.direct + stall.direct;
    sum.stall.count = before.count + stall.count;
    for (std::size_t kind = 0; kind < kNumResourceKinds; ++kind) {
        sum.stall.transit[kind] = before.transit[kind] + stall.transit[kind];
    }
    sum.launches.push_back(launch.name);
}

std::vector<StallOfRun> worst_of(const TimingReport& report) {
    std::map<std::string, std::size_t> known;
    std::vector<StallOfRun> stalls;
    for (const LaunchReport& launch : report.launches) {
        for (const StallReport& stall : launch.stalls) {
            const auto [found, is_new] = known.try_emplace(merge_key(launch, stall), stalls.size());
            if (is_new) {
                stalls.emplace_back();
            }
            add(launch, stall, stalls[found->second]);
        }
    }
    std::ranges::stable_sort(stalls, [](const StallOfRun& a, const StallOfRun& b) {
        return a.stall.direct > b.stall.direct;
    });
    stalls.resize(std::min(stalls.size(), kNumShown));
    return stalls;
}

std::string launches_text(const StallOfRun& row) {
    constexpr std::size_t kNamed = 3;
    return row.launches.size() <= kNamed ? fmt::format("{}", fmt::join(row.launches, ", "))
                                         : fmt::format("{} steps", row.launches.size());
}

std::string core_text(const TimingReport& report, std::uint16_t device, CoreCoord core) {
    const std::string where = to_string(core);
    return report.mesh.shape.num_devices() > 1 ? fmt::format("{} of device {}", where, device)
                                               : where;
}

// Stalls for registers and interfaces have no object: the activity names it.
std::string object_text(Activity activity, const std::string& object) {
    const bool is_said = activity == Activity::WaitDst || activity == Activity::WaitSource ||
                         activity == Activity::WaitNocSlot || object.empty();
    return is_said ? "" : ": " + object;
}

// Returns "64 % direct, 47 % of it on NoC links": the share of direct time, and the resource with
// the most direct time during which bytes travelled, if any.
std::string direct_text(const StallReport& stall) {
    const auto part_of = [](Millicycles part, Millicycles whole) {
        return show_share(share_of(static_cast<double>(part), static_cast<double>(whole)));
    };
    std::string direct = part_of(stall.direct, stall.total) + " direct";
    const auto most = std::ranges::max_element(stall.transit);
    if (*most == 0) {
        return direct;
    }
    const auto kind = static_cast<ResourceKind>(most - stall.transit.begin());
    return fmt::format("{}, {} of it on {}", direct, part_of(*most, stall.direct), label_of(kind));
}

std::string ender_text(const TimingReport& report, const StallOfRun& row) {
    const StallReport& stall = row.stall;
    if (!stall.ender) {
        return "";
    }
    return fmt::format("; ended by {} {}", core_text(report, stall.ender_device, stall.ender_core),
                       place_text(*row.launch, *stall.ender, stall.ender_line));
}

std::string stall_lines(const TimingReport& report, std::size_t number, const StallOfRun& row,
                        const TextStyle& style) {
    const StallReport& stall = row.stall;
    const auto count = static_cast<double>(stall.count);
    const double whole = static_cast<double>(row.launch->makespan.expected);
    const auto longest = stall.worst_end - stall.worst_begin;
    const std::array lines{
        fmt::format("  {}. {}: {}, {}{}", number, launches_text(row),
                    place_text(*row.launch, stall.waiter, stall.waiter_line),
                    label_of(stall.activity), object_text(stall.activity, stall.object)),
        fmt::format("     {} cycles in {} wait{}, {}", show_cycles(stall.total), show_count(count),
                    stall.count == 1 ? "" : "s", direct_text(stall)),
        fmt::format("     longest {} cycles ({}) on {}{}{}", show_cycles(longest),
                    show_share(share_of(static_cast<double>(longest), whole)),
                    core_text(report, stall.worst_device, stall.worst_core),
                    object_text(stall.activity, stall.worst_object), ender_text(report, row)),
    };
    std::string text;
    for (const std::string& line : lines) {
        text += clipped(line, style.width) + "\n";
    }
    return text;
}

}  // namespace

std::string worst_stalls_text(const TimingReport& report, std::size_t limit,
                              const TextStyle& style) {
    const std::vector<StallOfRun> stalls = worst_of(report);
    std::string text;
    for (std::size_t i = 0; i < std::min(limit, stalls.size()); ++i) {
        const StallOfRun& row = stalls[i];
        const char* label = i == 0 ? "waits     " : "          ";
        text +=
            clipped(fmt::format("  {}{} cycles, {}: {}, {}{}", label, show_cycles(row.stall.total),
                                launches_text(row),
                                place_text(*row.launch, row.stall.waiter, row.stall.waiter_line),
                                label_of(row.stall.activity),
                                object_text(row.stall.activity, row.stall.object)),
                    style.width) +
            "\n";
    }
    return text;
}

std::string stalls_text(const TimingReport& report, const TextStyle& style) {
    const std::vector<StallOfRun> stalls = worst_of(report);
    if (stalls.empty()) {
        return "";
    }
    std::string text = "  " + painted("worst stalls", Tone::Heading, style) + "\n";
    for (std::size_t i = 0; i < stalls.size(); ++i) {
        text += stall_lines(report, i + 1, stalls[i], style);
    }
    return text;
}

}  // namespace tessera::report
