// SPDX-License-Identifier: Apache-2.0
// Reciprocal of the row statistics in tt-train's attention.
// Source   tt-metal, llk_api/experimental/llk_sfpu/ckernel_sfpu_sdpa_fw.h (June 2026).
#pragma once

#include "tessera/kernel/compute/sfpu_first_column.hpp"

namespace ckernel::sfpu {

/// 1 / x.
inline void calculate_recip_first_column() {
    tessera::kernel::for_even_columns([](const sfpi::vFloat& x) { return _sfpu_reciprocal_(x); });
}
}  // namespace ckernel::sfpu
