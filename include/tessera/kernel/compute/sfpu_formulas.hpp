// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit that sfpu_formulas.inc defines: X_tile_init(), then X_tile(idst, …).
// They keep no constants that another function could overwrite, so their inits are not required.
// Errors   UndefinedBehavior if a DST tile holds the wrong kind of values.
#pragma once

#include <array>

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {

/// Functions of sfpu_formulas.inc, by the names of their calls.
enum class Formula : std::uint16_t {
#define FORMULA(call, ...) call,
#include "tessera/kernel/compute/sfpu_formulas.inc"
};

/// Indices of a call's DST tiles: its operands, then the result.
using FormulaTiles = std::array<std::uint32_t, 4>;
/// Scalars of a call as 32-bit patterns.
using FormulaScalars = std::array<std::uint32_t, 3>;

void apply_formula(Formula formula, const FormulaTiles& tiles, const FormulaScalars& scalars,
                   CallSite site);
void init_formula(CallSite site);

}  // namespace tessera::kernel

namespace ckernel {

// Parameters and their use by number: tiles, then scalars.
#define FORMULA_TILES_1 std::uint32_t idst
#define FORMULA_TILES_2 std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst
#define FORMULA_TILES_3 \
    std::uint32_t idst0, std::uint32_t idst1, std::uint32_t idst2, std::uint32_t odst
#define FORMULA_GIVEN_TILES_1 \
    { idst, 0, 0, idst }
#define FORMULA_GIVEN_TILES_2 \
    { idst0, idst1, 0, odst }
#define FORMULA_GIVEN_TILES_3 \
    { idst0, idst1, idst2, odst }
#define FORMULA_SCALARS_0
#define FORMULA_SCALARS_1 , std::uint32_t param0
#define FORMULA_SCALARS_2 , std::uint32_t param0, std::uint32_t param1
#define FORMULA_SCALARS_3 , std::uint32_t param0, std::uint32_t param1, std::uint32_t param2
#define FORMULA_GIVEN_SCALARS_0 \
    { 0, 0, 0 }
#define FORMULA_GIVEN_SCALARS_1 \
    { param0, 0, 0 }
#define FORMULA_GIVEN_SCALARS_2 \
    { param0, param1, 0 }
#define FORMULA_GIVEN_SCALARS_3 \
    { param0, param1, param2 }
#define FORMULA_HEAD_PLAIN inline
#define FORMULA_HEAD_TEMPLATE(...) template <__VA_ARGS__>
// Inits of fmod and remainder take the call's scalars and load them as constants on the chip. Here
// the call itself reads the scalars, so the inits ignore them.
#define FORMULA(call, Kind, tiles, scalars, options, ...)                             \
    FORMULA_HEAD_##options void call##_init(std::uint32_t /*param0*/ = 0,             \
                                            std::uint32_t /*param1*/ = 0,             \
                                            CallSite site = CallSite::here()) {       \
        tessera::kernel::init_formula(site);                                          \
    }                                                                                 \
    FORMULA_HEAD_##options void call(FORMULA_TILES_##tiles FORMULA_SCALARS_##scalars, \
                                     CallSite site = CallSite::here()) {              \
        tessera::kernel::apply_formula(tessera::kernel::Formula::call,                \
                                       FORMULA_GIVEN_TILES_##tiles,                   \
                                       FORMULA_GIVEN_SCALARS_##scalars, site);        \
    }
#include "tessera/kernel/compute/sfpu_formulas.inc"

/// Does the same as isclose_binary_tile; `equal_nan` makes NaN close to NaN.
template <bool equal_nan>
void isclose_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                         std::uint32_t relative, std::uint32_t absolute,
                         CallSite site = CallSite::here()) {
    if constexpr (equal_nan) {
        isclose_or_nan_binary_tile(idst0, idst1, odst, relative, absolute, site);
    } else {
        isclose_binary_tile(idst0, idst1, odst, relative, absolute, site);
    }
}

#undef FORMULA_TILES_1
#undef FORMULA_TILES_2
#undef FORMULA_TILES_3
#undef FORMULA_GIVEN_TILES_1
#undef FORMULA_GIVEN_TILES_2
#undef FORMULA_GIVEN_TILES_3
#undef FORMULA_SCALARS_0
#undef FORMULA_SCALARS_1
#undef FORMULA_SCALARS_2
#undef FORMULA_SCALARS_3
#undef FORMULA_GIVEN_SCALARS_0
#undef FORMULA_GIVEN_SCALARS_1
#undef FORMULA_GIVEN_SCALARS_2
#undef FORMULA_GIVEN_SCALARS_3
#undef FORMULA_HEAD_PLAIN
#undef FORMULA_HEAD_TEMPLATE

}  // namespace ckernel
