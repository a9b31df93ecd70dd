// SPDX-License-Identifier: Apache-2.0
// Moves one timing constant at a time; all others keep their stated values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/field_table.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// End of a constant's range: the one that makes runs short, or long.
enum class RangeEnd : std::uint8_t { Short, Long };

struct MovedTiming {
    std::string key;  ///< "timing.noc.hop"
    RangeEnd end{};
    std::string value;  ///< "9 cycles"
    TimingSpec timing;
};

/// Returns each constant with a range, in the order of the table: at the end that makes runs short,
/// then at the other. Omits an end that is the stated value.
[[nodiscard]] std::vector<MovedTiming> move_one_at_a_time(const TimingBounds& bounds);

/// Returns the timing with all constants of these bounds free or unlimited: at the smallest or
/// largest value that their rows allow, whichever makes runs short.
[[nodiscard]] TimingSpec without_bounds(const TimingSpec& timing, std::span<const Bound> bounds);

}  // namespace tessera::config
