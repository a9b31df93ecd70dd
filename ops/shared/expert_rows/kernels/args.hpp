// SPDX-License-Identifier: Apache-2.0
// Arguments of the kernels of several ops that read tables of routed rows.
#pragma once

#include "../../kernels/named_args.hpp"

namespace tessera::ops::expert_rows {

/// Bytes between counts that have a page each, in L1: what reads from DRAM are aligned to.
inline constexpr std::uint32_t kCountStride = 64;

/// Rows of a tensor that count: all, the first ones of equal batches, or those with a table entry.
enum class CountedForm : std::uint32_t { All, ByBatches, ByPresence };

NAMED_COMPILE_ARGS(CountedArgs, num_rows,
                   num_batches,   // equal parts of the rows
                   counted_by,    // CountedForm
                   table_width,   // entries of a page of the table
                   table_stride,  // bytes of a page in L1
                   is_paged);     // 1: each count of a batch has a page of its own

}  // namespace tessera::ops::expert_rows
