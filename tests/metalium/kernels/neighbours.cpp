// SPDX-License-Identifier: Apache-2.0
// A vector function of the kernel's own: replaces neighbours in a row, of an even and an odd column,
// by their sum and by their distance, limited to 30. Argument: number of tiles.
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/tile_move_copy.h"

#ifdef TRISC_MATH
inline void join_neighbours(float limit) {
    for (uint32_t pair = 0; pair < 8; pair += 2) {
        vFloat even = dst_reg[pair];
        vFloat odd = dst_reg[pair + 1];
        vFloat distance = even - odd;
        v_if(distance < 0.0f) {
            distance = -distance;
        }
        v_endif;
        v_if(distance > limit) {
            distance = limit;
        }
        v_elseif(distance == sfpi::vConst0) {
            distance = sfpi::vConstNeg1;
        }
        v_else {
            distance += sfpi::vConst1;
        }
        v_endif;
        dst_reg[pair] = even + odd;
        dst_reg[pair + 1] = distance;
    }
}
#endif

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    init_sfpu(tt::CBIndex::c_0, tt::CBIndex::c_16);
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(tt::CBIndex::c_0, 1);
        tile_regs_acquire();
        copy_tile(tt::CBIndex::c_0, 0, 0);
        MATH((_llk_math_eltwise_unary_sfpu_params_<false>(join_neighbours, 0, (int)VectorMode::RC,
                                                          30.0f)));
        tile_regs_commit();
        cb_pop_front(tt::CBIndex::c_0, 1);
        cb_reserve_back(tt::CBIndex::c_16, 1);
        tile_regs_wait();
        pack_tile(0, tt::CBIndex::c_16);
        tile_regs_release();
        cb_push_back(tt::CBIndex::c_16, 1);
    }
}
