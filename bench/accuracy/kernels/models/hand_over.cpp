// SPDX-License-Identifier: Apache-2.0
// Pushes all pages of a CB that is allocated on a shard. The data is already there.

void kernel_main() {
    const uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t pages = get_compile_time_arg_val(1);

    cb_reserve_back(cb, pages);
    cb_push_back(cb, pages);
}
