// SPDX-License-Identifier: Apache-2.0
// Stores 32 rows of 32 logits of each unit, without those behind the last token and expert.
#include "dataflow_api.h"

void kernel_main() {
    constexpr uint32_t kCbOut = 16;
    constexpr uint32_t kTileRows = 32;
    const uint32_t first_unit = get_arg_val<uint32_t>(0);
    const uint32_t num_units = get_arg_val<uint32_t>(1);
    const uint32_t expert_tiles = get_compile_time_arg_val(2);
    const uint32_t num_tokens = get_compile_time_arg_val(3);
    const uint32_t num_experts = get_compile_time_arg_val(4);
    const TensorAccessor logits(TensorAccessorArgs<6>(), get_arg_val<uint32_t>(2));

    for (uint32_t unit = first_unit; unit < first_unit + num_units; ++unit) {
        const uint32_t first_token = unit / expert_tiles * kTileRows;
        const uint32_t first_expert = unit % expert_tiles * kTileRows;
        const uint32_t tokens = num_tokens - first_token;
        const uint32_t experts = num_experts - first_expert;
        const uint32_t bytes = (experts < kTileRows ? experts : kTileRows) * sizeof(uint32_t);
        cb_wait_front(kCbOut, 1);
        const uint32_t l1_addr = get_read_ptr(kCbOut);
        for (uint32_t row = 0; row < (tokens < kTileRows ? tokens : kTileRows); ++row) {
            noc_async_write(l1_addr + row * kTileRows * sizeof(uint32_t),
                            logits.get_noc_addr(first_token + row, first_expert * sizeof(uint32_t)),
                            bytes);
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbOut, 1);
    }
    noc_async_write_barrier();
}
