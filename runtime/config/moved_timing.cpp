// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/moved_timing.hpp"

#include <fmt/format.h>

#include "runtime/config/read.hpp"
#include "runtime/config/timing_constants.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

void set_value(const TimingConstant& constant, const std::string& value) {
    const auto mistake = constant.field->set(read_text_at(value, Origin{}), constant.expected);
    ensure(!mistake, "{} shows as '{}', which it does not take", constant.key, value);
}

}  // namespace

std::vector<MovedTiming> move_one_at_a_time(const TimingBounds& bounds) {
    std::vector<MovedTiming> moved;
    TimingBounds working = bounds;
    const TimingWalk walk(working, [&](const TimingConstant& constant) {
        const Field& field = *constant.field;
        const std::string stated = field.show(constant.expected);
        // In base units, so that not a bit is lost on the way back.
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

}  // namespace tessera::config
