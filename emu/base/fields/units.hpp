// SPDX-License-Identifier: Apache-2.0
// Units of quantities: "1464 KiB", "1.0 GHz", "28.1 B/cycle".
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tessera/units.hpp"

namespace tessera::config {

struct Unit {
    std::string_view name;
    double factor;  ///< size of the unit in base units
};

/// kUnits<Q>: the units of a quantity in ascending order. The base unit is first if it is the
/// smallest.
template <class Q>
inline constexpr std::array<Unit, 0> kUnits{};

template <>
inline constexpr std::array kUnits<Bytes>{Unit{"B", 1}, Unit{"KiB", 1024}, Unit{"MiB", 1048576},
                                          Unit{"GiB", 1073741824}};
template <>
inline constexpr std::array kUnits<Hertz>{Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6},
                                          Unit{"GHz", 1e9}};
template <>
inline constexpr std::array kUnits<Cycles>{Unit{"cycles", 1}};
template <>
inline constexpr std::array kUnits<BytesPerCycle>{Unit{"B/cycle", 1}};
template <>
inline constexpr std::array kUnits<BytesPerSecond>{Unit{"B/s", 1}, Unit{"kB/s", 1e3},
                                                   Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9}};
template <>
inline constexpr std::array kUnits<Seconds>{Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3},
                                            Unit{"s", 1}};

}  // namespace tessera::config
