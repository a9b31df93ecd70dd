// SPDX-License-Identifier: Apache-2.0
// Words of L1, one after the other.
#pragma once

#include "dataflow_api.h"

// Calls `act(i, word)` for each of `count` words, which `act` does not change. Four loads are in
// flight at a time: a value that is used at once waits for its load.
template <class Act>
inline void for_each_word(const volatile tt_l1_ptr uint32_t* words, uint32_t count,
                          const Act& act) {
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint32_t first = words[i];
        const uint32_t second = words[i + 1];
        const uint32_t third = words[i + 2];
        const uint32_t fourth = words[i + 3];
        act(i, first);
        act(i + 1, second);
        act(i + 2, third);
        act(i + 3, fourth);
    }
    for (; i < count; ++i) {
        act(i, words[i]);
    }
}
