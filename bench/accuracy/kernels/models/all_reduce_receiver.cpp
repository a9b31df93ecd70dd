// SPDX-License-Identifier: Apache-2.0
// Hands on what devices have written into this core's buffer once each of them has counted up a
// word. Runtime args: the word's semaphore, how many devices there are, tiles of them all.

void kernel_main() {
    const uint32_t arrived = get_semaphore(get_arg_val<uint32_t>(0));
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(arrived),
                       get_arg_val<uint32_t>(1));
    cb_push_back(tt::CBIndex::c_1, get_arg_val<uint32_t>(2));
}
