// SPDX-License-Identifier: Apache-2.0
// Waits until the given number of streams have ended on this core.

void kernel_main() {
    const uint32_t done = get_semaphore(get_compile_time_arg_val(0));
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(done),
                           get_arg_val<uint32_t>(0));
}
