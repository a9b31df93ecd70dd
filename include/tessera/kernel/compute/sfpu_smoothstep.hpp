// SPDX-License-Identifier: Apache-2.0
// Smooth step of a face: t² (3 − 2t), where t is the position between two edges, clamped to 0 … 1.
// Source   tt-metal, llk_api/experimental/llk_sfpu/ckernel_sfpu_smoothstep.h (June 2026).
#pragma once

#include "tessera/kernel/compute/sfpi_functions.hpp"

namespace ckernel::sfpu {

inline void smoothstep_tile_face(float edge0, float /*edge1*/, float inv_delta) {
    constexpr int kVectorsOfAFace = 8;
    for (int i = 0; i < kVectorsOfAFace; ++i) {
        sfpi::vFloat t = (sfpi::dst_reg[i] - edge0) * inv_delta;
        v_if(t < 0.0F) {
            t = 0.0F;
        }
        v_endif;
        v_if(t > 1.0F) {
            t = 1.0F;
        }
        v_endif;
        sfpi::dst_reg[i] = t * t * (3.0F - 2.0F * t);
    }
}

}  // namespace ckernel::sfpu
