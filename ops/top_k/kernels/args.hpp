// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernel of top_k.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::top_k {

enum class Cb : std::uint32_t {
    Scores = 0,
    Histogram = 1,
    Chosen = 2,  // elements with their columns
    Sorted = 3,
    Positions = 4,  // a part of the list
};
inline constexpr std::uint32_t kDigitBits[] = {11, 11, 10};  // of an element, from the highest on
inline constexpr std::uint32_t kHistogramWords = 1U << kDigitBits[0];

NAMED_COMPILE_ARGS(SelectArgs, columns, k,
                   list_width);  // entries of a row of positions; 0: whole rows count
NAMED_TENSORS(SelectTensors, scores,
              positions,  // may be left out
              indices);
NAMED_RUNTIME_ARGS(RowRange, first_row, num_rows);

}  // namespace tessera::ops::top_k
