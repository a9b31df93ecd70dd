// SPDX-License-Identifier: Apache-2.0
// Rearranges blocks of 32 rows of 32 elements: to faces, or (UNTILIZE) back to rows. Argument:
// number of blocks.
#include "compute_kernel_api/tilize.h"

#include "compute_kernel_api/untilize.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(tt::CBIndex::c_0, tt::CBIndex::c_16);
#ifdef UNTILIZE
    untilize_init(tt::CBIndex::c_0);
#else
    tilize_init(tt::CBIndex::c_0, 1, tt::CBIndex::c_16);
#endif
    for (uint32_t block = 0; block < count; ++block) {
        cb_wait_front(tt::CBIndex::c_0, 1);
        cb_reserve_back(tt::CBIndex::c_16, 1);
#ifdef UNTILIZE
        untilize_block(tt::CBIndex::c_0, 1, tt::CBIndex::c_16);
#else
        tilize_block(tt::CBIndex::c_0, 1, tt::CBIndex::c_16);
#endif
        cb_push_back(tt::CBIndex::c_16, 1);
        cb_pop_front(tt::CBIndex::c_0, 1);
    }
}
