// SPDX-License-Identifier: Apache-2.0
// Pushes the data that devices have written to this core's buffer, once each device has incremented
// a word. Runtime args: semaphore of the word, number of devices, tiles of all devices.

void kernel_main() {
    const uint32_t arrived = get_semaphore(get_arg_val<uint32_t>(0));
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(arrived),
                       get_arg_val<uint32_t>(1));
    cb_push_back(tt::CBIndex::c_1, get_arg_val<uint32_t>(2));
}
