// SPDX-License-Identifier: Apache-2.0
// Reciprocal of the row statistics in ttnn's attention.
// Source   tt-metal, llk_api/experimental/llk_sfpu/ckernel_sfpu_sdpa.h (June 2026).
#pragma once

#include "tessera/kernel/compute/sfpu_first_column.hpp"

namespace ckernel::sfpu {

/// 1 / x. The older form gives 1 / |x|.
template <bool legacy_compat = true>
void calculate_recip_first_column() {
    tessera::kernel::for_even_columns([](const sfpi::vFloat& x) {
        return legacy_compat ? _reciprocal_compat_(x) : _sfpu_reciprocal_(x);
    });
}
}  // namespace ckernel::sfpu
