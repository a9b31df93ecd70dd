// SPDX-License-Identifier: Apache-2.0
// Strips of a tensor with one scale: 32 rows and 128 columns each, row by row. Cores share them, so
// that few rows, too, give all cores work.
#pragma once

#include <cstdint>

#include "../../shared/kernels/arithmetic.hpp"

namespace tessera::ops::quantise {

struct TensorStrips {
    uint32_t in_one_row;

    explicit TensorStrips(uint32_t columns) : in_one_row(div_up(columns, 128)) {}
    uint32_t row(uint32_t strip) const { return strip / in_one_row * 32; }
    uint32_t column(uint32_t strip) const { return strip % in_one_row * 128; }
    // Returns the row behind those of strips up to `end`.
    uint32_t end_row(uint32_t end) const { return div_up(end, in_one_row) * 32; }
};

}  // namespace tessera::ops::quantise
