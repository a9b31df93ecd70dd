// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/moved_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/config/read.hpp"
#include "runtime/config/timing_constants.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

constexpr std::string_view kTiming = "timing.";

void set_value(const TimingConstant& constant, const std::string& value) {
    const auto mistake = constant.field->set(read_text_at(value, Origin{}), constant.expected);
    ensure(!mistake, "{} shows as '{}', which it does not take", constant.key, value);
}

}  // namespace

std::vector<MovedTiming> move_one_at_a_time(const TimingBounds& bounds) {
    std::vector<MovedTiming> moved;
    TimingBounds working = bounds;
    // All moves share one copy: each constant returns to its value before the next one moves.
    const TimingWalk walk(working, [&](const TimingConstant& constant) {
        const Field& field = *constant.field;
        const std::string stated = field.show(constant.expected);
        // In base units, so that the value is restored exactly.
        const std::string exact = fmt::format("{} {}", field.number(constant.expected), field.unit);
        for (const RangeEnd end : {RangeEnd::Short, RangeEnd::Long}) {
            const std::string value =
                field.show(end == RangeEnd::Short ? constant.low : constant.high);
            if (value != stated) {
                set_value(constant, value);
                moved.push_back({constant.key, end, value, working.expected});
                set_value(constant, exact);
            }
        }
    });
    return moved;
}

TimingSpec without_bounds(const TimingSpec& timing, std::span<const Bound> bounds) {
    TimingBounds working{timing, timing, timing};
    const TimingWalk walk(working, [&](const TimingConstant& constant) {
        const Field& field = *constant.field;
        // "timing.noc.hop" without its first part.
        const auto bound = bound_of(std::string_view(constant.key).substr(kTiming.size()));
        if (!bound || std::ranges::find(bounds, *bound) == bounds.end()) {
            return;
        }
        // The end that makes runs short: no time, or an unlimited rate.
        const double end =
            field.shortens == Shortens::Less ? field.limits.least : field.limits.most;
        set_value(constant, fmt::format("{:.0f} {}", end, field.unit));
    });
    return std::move(working.expected);
}

}  // namespace tessera::config
