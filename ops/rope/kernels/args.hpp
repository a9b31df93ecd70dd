// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of rope's kernels, in addition to those of row_strips. The
// operands of its reader are the table and the positions.
#pragma once

#include "../../shared/row_strips/kernels/args.hpp"

namespace tessera::ops::rope {

enum class Cb : std::uint32_t {
    Own = 2,      // matrices that sort the elements of a head, and their partners
    Partner = 3,  //
    Positions = static_cast<std::uint32_t>(row_strips::Cb::VectorRow),
    FactorRows = 11,  // factors of the elements of each row, and of their partners
    PartnerFactorRows = 12,
    Factors = 13,  // the same as tiles
    PartnerFactors = 14,
};

NAMED_COMPILE_ARGS(HeadArgs,
                   first,  // element that is rotated
                   dim,    // elements that are rotated
                   // RopeLayout << kLayoutShift | entries of a row of positions; 0: no positions.
                   // One word: predicted cycles of shipped runs include its unpacking.
                   layout_and_width,
                   rows_each);  // rows of a token
inline constexpr std::uint32_t kLayoutShift = 28;

}  // namespace tessera::ops::rope
