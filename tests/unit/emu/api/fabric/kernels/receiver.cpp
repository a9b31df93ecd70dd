// SPDX-License-Identifier: Apache-2.0
// Waits for one increment and copies the data that has arrived by then.
void kernel_main() {
    const uint32_t arrived = get_arg_val<uint32_t>(0);
    const uint32_t copy = get_arg_val<uint32_t>(1);
    const uint32_t size = get_arg_val<uint32_t>(2);
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(3));
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);
    for (uint32_t i = 0; i < size; i += 4) {
        *reinterpret_cast<volatile uint32_t*>(copy + i) =
            *reinterpret_cast<volatile uint32_t*>(arrived + i);
    }
}
