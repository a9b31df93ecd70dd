// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpu_formulas.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"

namespace tessera::kernel {
namespace {

/// Newton's method from an approximation of 3e-3; three steps reach double precision.
double inverse_erf(double x) {
    if (std::abs(x) >= 1) {
        return std::abs(x) > 1 ? std::nan("") : std::copysign(HUGE_VAL, x);
    }
    constexpr double kShape = 0.147;  // Winitzki's approximation
    const double log_part = std::log1p(-x * x);
    const double centre = 2 / (M_PI * kShape) + log_part / 2;
    double y = std::copysign(std::sqrt(std::sqrt(centre * centre - log_part / kShape) - centre), x);
    for (int step = 0; step < 3; ++step) {
        y -= (std::erf(y) - x) / (M_2_SQRTPI * std::exp(-y * y));
    }
    return y;
}

/// Modified Bessel function of the first kind of order 0 or 1, by its power series. Beyond
/// |x| = 100 the result exceeds fp32 (it is about e^|x| / √(2π|x|)), so the series is not summed.
double bessel_i(int order, double x) {
    if (std::isnan(x) || std::abs(x) > 100) {
        return order == 1 && x < 0 ? -HUGE_VAL : std::isnan(x) ? x : HUGE_VAL;
    }
    const double quarter = x * x / 4;
    double term = order == 0 ? 1 : x / 2;
    double sum = term;
    for (int k = 1; k < 400 && std::abs(term) > std::abs(sum) * 1e-17; ++k) {
        term *= quarter / (static_cast<double>(k) * (k + order));
        sum += term;
    }
    return sum;
}

/// Derivative of ln Γ: recurrence up to 8, then the asymptotic series; reflection below 0.
double digamma(double x) {
    if (x <= 0) {
        return x == std::floor(x) ? std::nan("") : digamma(1 - x) - M_PI / std::tan(M_PI * x);
    }
    double shifted = 0;
    while (x < 8) {
        shifted -= 1 / x;
        x += 1;
    }
    const double square = 1 / (x * x);
    return shifted + std::log(x) - 1 / (2 * x) -
           square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square / 240)));
}

/// Values that a formula reads, in one of the two number systems.
template <class Number>
struct Values {
    Number a;
    Number b;
    Number c;
    Number p;
    Number q;
    Number r;
};

enum class FormulaKind : std::uint8_t { FLOAT, INT32, UINT32, UINT16, INT32_TO_FLOAT };

constexpr bool takes_integers(FormulaKind kind) {
    return kind != FormulaKind::FLOAT;
}
constexpr bool gives_integers(FormulaKind kind) {
    return takes_integers(kind) && kind != FormulaKind::INT32_TO_FLOAT;
}

/// A pattern of 32 bits as a number of the kind.
template <FormulaKind kind>
auto number_of(float slot) {
    const auto bits = std::bit_cast<std::uint32_t>(slot);
    if constexpr (kind == FormulaKind::FLOAT) {
        return static_cast<double>(slot);
    } else if constexpr (kind == FormulaKind::UINT32) {
        return static_cast<std::int64_t>(bits);
    } else if constexpr (kind == FormulaKind::UINT16) {
        return static_cast<std::int64_t>(bits & 0xFFFFU);
    } else {
        return static_cast<std::int64_t>(static_cast<std::int32_t>(bits));
    }
}

template <FormulaKind kind, class Result>
float slot_of(Result result) {
    if constexpr (!gives_integers(kind)) {
        return static_cast<float>(result);
    } else {
        constexpr std::uint32_t kMask = kind == FormulaKind::UINT16 ? 0xFFFFU : 0xFFFFFFFFU;
        return std::bit_cast<float>(static_cast<std::uint32_t>(result) & kMask);
    }
}

using Tiles = std::array<const float*, 3>;
using FormulaRoutine = void (*)(const Tiles& in, const FormulaScalars& scalars, float* out);

/// Applies a formula to each element; operands and result may be the same tile.
template <FormulaKind kind, class Function>
void map_formula(const Tiles& in, const FormulaScalars& scalars, float* out, Function function) {
    const auto scalar = [&](std::size_t i) {
        return number_of<kind>(std::bit_cast<float>(scalars[i]));
    };
    using Number = decltype(scalar(0));
    Values<Number> values{{}, {}, {}, scalar(0), scalar(1), scalar(2)};
    for (std::size_t i = 0; i < kTileElements; ++i) {
        values.a = number_of<kind>(in[0][i]);
        values.b = number_of<kind>(in[1][i]);
        values.c = number_of<kind>(in[2][i]);
        out[i] = slot_of<kind>(function(values));
    }
}

struct FormulaRow {
    const char* call;
    FormulaKind kind;
    std::uint8_t num_tiles;
    FormulaRoutine routine;
};

constexpr std::array kFormulas{
#define FORMULA(call, Kind, tiles, scalars, options, ...)                                  \
    FormulaRow{#call, FormulaKind::Kind, tiles,                                            \
               [](const Tiles& in, const FormulaScalars& given, float* out) {              \
                   map_formula<FormulaKind::Kind>(in, given, out, [](const auto& values) { \
                       [[maybe_unused]] const auto [a, b, c, p, q, r] = values;            \
                       return __VA_ARGS__;                                                 \
                   });                                                                     \
               }},
#include "tessera/kernel/compute/sfpu_formulas.inc"
};

DstContent content_of(bool is_integer) {
    return is_integer ? DstContent::Integer : DstContent::Float;
}

}  // namespace

void init_formula(CallSite site) {
    static_cast<void>(current_units("an init of the vector unit", site));
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

void apply_formula(Formula formula, const FormulaTiles& tiles, const FormulaScalars& scalars,
                   CallSite site) {
    const FormulaRow& row = kFormulas[static_cast<std::size_t>(formula)];
    ComputeState& units = current_units(row.call, site);
    const DstContent taken = content_of(takes_integers(row.kind));
    Tiles in{};
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = i < row.num_tiles ? units.dst.update(tiles[i], row.call, site, taken) : in[0];
    }
    const DstContent given = content_of(gives_integers(row.kind));
    float* out = units.dst.overwrite(tiles[3], row.call, site, given);
    record_sfpu(current_thread(), row.call, site);
    if (units.maths == Maths::Off && given == DstContent::Float) {
        return;
    }
    row.routine(in, scalars, out);
    if (given == DstContent::Float) {
        round_for_dst(units.dst, out);
    }
}

}  // namespace tessera::kernel
