// SPDX-License-Identifier: Apache-2.0
// Words that a kernel hands to another of its core.
#pragma once

#include "dataflow_api.h"

// Pushes a page of `cb` whose first word is `value`.
inline void push_word(uint32_t cb, uint32_t value) {
    cb_reserve_back(cb, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb)) = value;
    cb_push_back(cb, 1);
}
