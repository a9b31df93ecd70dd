// SPDX-License-Identifier: Apache-2.0
// Smooth step of a + b between 0 and 4, packed once whole and once as a sum of rows is. Inputs are
// CBs 0 and 1, the output CB 16. Argument: number of tiles.
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/tile_move_copy.h"
#ifdef TRISC_MATH
#include "experimental/llk_sfpu/ckernel_sfpu_custom_add.h"
#include "experimental/llk_sfpu/ckernel_sfpu_smoothstep.h"
#endif

void kernel_main() {
    constexpr auto kOut = tt::CBIndex::c_16;
    const uint32_t count = get_arg_val<uint32_t>(0);
    init_sfpu(tt::CBIndex::c_0, kOut);
    MATH((llk_math_reconfig_remap(false)));
    PACK((llk_init_packer_dest_offset_registers()));
    pack_init(kOut);
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(tt::CBIndex::c_0, 1);
        cb_wait_front(tt::CBIndex::c_1, 1);
        tile_regs_acquire();
        copy_tile(get_operand_id(0), 0, 0);
        copy_tile(get_operand_id(1), 0, 1);
        MATH(SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC_MODE, DST_ACCUM_MODE, my_add_tile_face, 0,
                                               1, 0, VectorMode::RC));
        MATH(SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC_MODE, DST_ACCUM_MODE, smoothstep_tile_face,
                                              0, VectorMode::RC, 0.0F, 4.0F, 0.25F));
        tile_regs_commit();
        cb_pop_front(tt::CBIndex::c_0, 1);
        cb_pop_front(tt::CBIndex::c_1, 1);
        cb_reserve_back(kOut, 2);
        tile_regs_wait();
        pack_tile(0, kOut);
        PACK((llk_pack_reduce_mask_config<ReduceDim::REDUCE_ROW>(kOut)));
        pack_tile(0, kOut);
        PACK((llk_pack_reduce_mask_clear()));
        tile_regs_release();
        cb_push_back(kOut, 2);
    }
}
