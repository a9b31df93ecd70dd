// SPDX-License-Identifier: Apache-2.0
// Splits the choices of this core's tokens.
#include "dataflow_api.h"

void kernel_main() {
    constexpr uint32_t kNobody = 0xFFFFFFFF;
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t count = get_arg_val<uint32_t>(1);
    const uint32_t top_k = get_compile_time_arg_val(0);
    const uint32_t experts = get_compile_time_arg_val(1);
    const TensorAccessor ids(TensorAccessorArgs<2>(), get_arg_val<uint32_t>(2));
    const TensorAccessor routed(TensorAccessorArgs<4>(), get_arg_val<uint32_t>(3));
    const TensorAccessor rows(TensorAccessorArgs<6>(), get_arg_val<uint32_t>(4));
    const uint32_t ids_l1 = get_write_ptr(0);
    const uint32_t rows_l1 = get_write_ptr(1);
    auto* id = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ids_l1);
    auto* row = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(rows_l1);

    for (uint32_t token = first; token < first + count; ++token) {
        noc_async_read(ids.get_noc_addr(token), ids_l1, top_k * sizeof(uint32_t));
        noc_async_read_barrier();
        for (uint32_t k = 0; k < top_k; ++k) {
            const uint32_t chosen = id[k];
            const bool is_zero = chosen != kNobody && chosen >= experts;
            row[k] = is_zero ? token : kNobody;
            id[k] = is_zero ? kNobody : chosen;
        }
        noc_async_write(ids_l1, routed.get_noc_addr(token), top_k * sizeof(uint32_t));
        noc_async_write(rows_l1, rows.get_noc_addr(token), top_k * sizeof(uint32_t));
        noc_async_write_barrier();  // the next token's choices come to the same place
    }
}
