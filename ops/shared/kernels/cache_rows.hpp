// SPDX-License-Identifier: Apache-2.0
// Places of a paged cache's rows in its tensor.
#pragma once

#include "dataflow_api.h"

// A row of the tensor is one position, or the positions of a page one after the other, which can
// be read together.
template <class Accessor>
struct CacheRows {
    const Accessor& tensor;
    uint32_t row_bytes;   // bytes of a position
    uint32_t in_one_row;  // positions of a row of the tensor

    uint32_t offset(uint32_t row) const { return row % in_one_row * row_bytes; }
    uint64_t address(uint32_t row, uint32_t before = 0) const {
        return tensor.get_noc_addr(row / in_one_row, offset(row) - before);
    }
    // Returns the number of `count` positions from `row` on that are contiguous.
    uint32_t together(uint32_t row, uint32_t count) const {
        const uint32_t left = in_one_row - row % in_one_row;
        return count < left ? count : left;
    }
};
