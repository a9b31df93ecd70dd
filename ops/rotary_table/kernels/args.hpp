// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of the kernel of rotary_table.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::rotary_table {

enum class Cb : std::uint32_t { Positions = 0, Cos = 1, Sin = 2, Table = 3 };

NAMED_COMPILE_ARGS(TableArgs,
                   position_width,  // entries of a row of positions
                   dim,             // elements of a head that are rotated
                   part,            // of them, padded to what transfers are aligned to
                   layout,          // RopeLayout
                   num_outputs,     // 1 to 4
                   factor);         // of cosines and sines, the bits of a float
NAMED_TENSORS(TableTensors, positions, cos,
              sin,           // may be left out
              table,         // may be left out
              frequencies);  // may be left out
NAMED_RUNTIME_ARGS(TableRange, first_row, num_rows, positions_address);
// Common runtime arguments: these addresses, then the frequency of each pair, the bits of a float,
// and for the extended form the address of `frequencies`.
NAMED_RUNTIME_ARGS(OutputAddresses, cos, sin, table);

}  // namespace tessera::ops::rotary_table
