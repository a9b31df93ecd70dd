// SPDX-License-Identifier: Apache-2.0
// Quantities whose unit is in their type: `Bytes{1} + Cycles{2}` does not compile.
#pragma once

#include <compare>
#include <cstdint>

namespace tessera {

/// A number with a unit. Only quantities of one unit can be added or compared.
template <class Tag, class Number>
struct Quantity {
    using Rep = Number;
    Number value{};

    constexpr Quantity() = default;
    constexpr explicit Quantity(Number number) : value(number) {}
    friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) {
        return Quantity{a.value + b.value};
    }
    friend constexpr Quantity operator-(Quantity a, Quantity b) {
        return Quantity{a.value - b.value};
    }
    friend constexpr Quantity operator*(Quantity a, Number factor) {
        return Quantity{a.value * factor};
    }
    friend constexpr Number operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Bytes = Quantity<struct BytesTag, std::uint64_t>;
using Cycles = Quantity<struct CyclesTag, double>;
using Hertz = Quantity<struct HertzTag, double>;
using BytesPerCycle = Quantity<struct BytesPerCycleTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using Seconds = Quantity<struct SecondsTag, double>;

}  // namespace tessera
