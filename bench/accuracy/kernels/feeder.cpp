// SPDX-License-Identifier: Apache-2.0
// Pushes pages of two CBs whose data is already in L1, as often as the argument says.

void kernel_main() {
    constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
    constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
    const uint32_t count = get_compile_time_arg_val(0);
    const uint32_t pages0 = get_compile_time_arg_val(1);
    const uint32_t pages1 = get_compile_time_arg_val(2);

    for (uint32_t i = 0; i < count; ++i) {
        cb_reserve_back(cb_in0, pages0);
        cb_push_back(cb_in0, pages0);
        cb_reserve_back(cb_in1, pages1);
        cb_push_back(cb_in1, pages1);
    }
}
