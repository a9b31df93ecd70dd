// SPDX-License-Identifier: Apache-2.0
// Writes rows of 64 bytes at the end of rows of 128, after zeros. Arguments: addresses of both,
// first row, number of rows.
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<0>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0), 64);
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1), 128);
    const uint32_t first = get_arg_val<uint32_t>(2);
    cb_reserve_back(tt::CBIndex::c_0, 1);
    const uint32_t l1 = get_write_ptr(tt::CBIndex::c_0);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    for (uint32_t row = first; row < first + get_arg_val<uint32_t>(3); ++row) {
        for (uint32_t i = 0; i < 16; ++i) {
            words[i] = 0;
        }
        noc_async_read(from.get_noc_addr(row), l1 + 64, 64);
        noc_async_read_barrier();
        noc_async_write(l1, to.get_noc_addr(row), 128);
        noc_async_write_barrier();
    }
}
