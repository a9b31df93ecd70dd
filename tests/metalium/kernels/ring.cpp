// SPDX-License-Identifier: Apache-2.0
// Passes a word around a ring of cores, each of which adds its number. Arguments: semaphore, L1
// address of the word, x and y of the next core, own number, whether this core starts.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t word = get_arg_val<uint32_t>(1);
    const uint32_t x = get_arg_val<uint32_t>(2);
    const uint32_t y = get_arg_val<uint32_t>(3);
    const bool starts = get_arg_val<uint32_t>(5) != 0;
    auto* own = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    auto* value = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(word);
    if (!starts) {
        noc_semaphore_wait(own, 1);
    }
    *value += get_arg_val<uint32_t>(4);
    noc_async_write(word, get_noc_addr(x, y, word), 16);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1);
    noc_async_atomic_barrier();
    if (starts) {
        noc_semaphore_wait(own, 1);
    }
}
