// SPDX-License-Identifier: Apache-2.0
// Timing constants moved one at a time: all others as stated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/field_table.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Which end of its range a constant is at: the one that makes runs short, or long.
enum class RangeEnd : std::uint8_t { Short, Long };

struct MovedTiming {
    std::string key;  ///< "timing.noc.hop"
    RangeEnd end{};
    std::string value;  ///< "9 cycles"
    TimingSpec timing;
};

/// Each constant that has a range, in the order of the table, at the end that makes runs short and
/// then at the one that makes them long; an end at which the constant is stated is left out.
[[nodiscard]] std::vector<MovedTiming> move_one_at_a_time(const TimingBounds& bounds);

/// The timing with all constants of these bounds free or unlimited: at the least or the most that
/// their rows allow, whichever makes runs short.
[[nodiscard]] TimingSpec without_bounds(const TimingSpec& timing, std::span<const Bound> bounds);

}  // namespace tessera::config
