// SPDX-License-Identifier: Apache-2.0
// Sum of two DST tiles, face by face, for the vendor's example of a custom operation.
// Source   tt-metal, llk_api/experimental/llk_sfpu/ckernel_sfpu_custom_add.h (June 2026).
#pragma once

#include "tessera/kernel/compute/sfpi_functions.hpp"

namespace ckernel::sfpu {

inline void my_add_tile_face(std::uint32_t left, std::uint32_t right, std::uint32_t sum) {
    constexpr std::uint32_t kVectorsOfATile = 32;
    constexpr std::uint32_t kVectorsOfAFace = 8;
    for (std::uint32_t i = 0; i < kVectorsOfAFace; ++i) {
        const sfpi::vFloat a = sfpi::dst_reg[static_cast<int>(left * kVectorsOfATile + i)];
        const sfpi::vFloat b = sfpi::dst_reg[static_cast<int>(right * kVectorsOfATile + i)];
        sfpi::dst_reg[static_cast<int>(sum * kVectorsOfATile + i)] = a + b;
    }
}

}  // namespace ckernel::sfpu
