// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/drawn_timing.hpp"

#include <fmt/format.h>

#include <cmath>

#include "emu/base/counted_random.hpp"
#include "runtime/config/timing_constants.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

// Fixed, so that a run has the same interval on any host, at any number of threads.
constexpr std::uint64_t kSeed = 32;

/// Returns a number of [0, 1) from a random word.
double unit_interval(std::uint64_t word) {
    // 53 bits are the significand of a double.
    return static_cast<double>(word >> 11U) * 0x1.0p-53;
}

double number_of(const TimingConstant& constant, const void* object) {
    return std::stod(constant.field->number(object));
}

NumberRange range_of(const TimingConstant& constant) {
    return {number_of(constant, constant.low), number_of(constant, constant.expected),
            number_of(constant, constant.high)};
}

Node node_of(const TimingConstant& constant, const std::string& number) {
    const std::string_view unit = constant.field->unit;
    return {.kind = NodeKind::Scalar,
            .text = unit.empty() ? number : fmt::format("{} {}", number, unit)};
}

// Sets a constant to a number. 15 digits are enough for a nanosecond in seconds; constants of whole
// numbers refuse a fraction and are rounded.
void set_number(const TimingConstant& constant, double number) {
    const Field& field = *constant.field;
    auto mistake = field.set(node_of(constant, fmt::format("{:.15f}", number)), constant.expected);
    if (mistake) {
        mistake = field.set(node_of(constant, fmt::format("{:.0f}", number)), constant.expected);
    }
    ensure(!mistake, "{} does not take {} {}", constant.key, number, field.unit);
}

TimingSpec draw(const TimingBounds& bounds, std::uint32_t count, std::uint32_t index) {
    TimingBounds working = bounds;
    const TimingWalk walk(working, [&](const TimingConstant& constant) {
        // Constants without a range keep the stated value.
        const std::string low = constant.field->show(constant.low);
        if (low != constant.field->show(constant.high)) {
            set_number(constant,
                       drawn_number(range_of(constant), draw_place(constant.key, count, index)));
        }
    });
    return std::move(working.expected);
}

}  // namespace

// Latin hypercube: the draws take each of `count` parts of a range once, in an order that is
// specific to the constant. A few draws therefore cover each range.
double draw_place(const std::string& key, std::uint32_t count, std::uint32_t index) {
    const std::uint64_t seed = seed_for(kSeed, key);
    const std::uint32_t part = random_permutation(seed, count)[index];
    return (part + unit_interval(random_word(seed, std::uint64_t{count} + index))) / count;
}

double drawn_number(const NumberRange& range, double place) {
    // Stated values are medians: half of the draws are on either side, however far its end is.
    const double end = place < 0.5 ? range.low : range.high;
    return range.stated + (end - range.stated) * std::abs(2 * place - 1);
}

std::vector<TimingSpec> draw_timing(const TimingBounds& bounds, std::uint32_t count) {
    std::vector<TimingSpec> draws;
    for (std::uint32_t i = 0; i < count; ++i) {
        draws.push_back(draw(bounds, count, i));
    }
    return draws;
}

}  // namespace tessera::config
