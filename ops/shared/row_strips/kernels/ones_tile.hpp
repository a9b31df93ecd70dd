// SPDX-License-Identifier: Apache-2.0
// The tile of ones with which the matrix unit sums rows.
#pragma once

#include "strip_rows.hpp"

namespace {

void push_ones() {
    constexpr uint32_t kCbOnes = index_of(StripCb::Ones);
    cb_reserve_back(kCbOnes, 1);
    // Sums along rows are products with ones in the matrix unit.
    fill_l1(get_write_ptr(kCbOnes), kTileWords * sizeof(uint32_t), uint32_t{kOne} << 16 | kOne);
    cb_push_back(kCbOnes, 1);
}

}  // namespace
