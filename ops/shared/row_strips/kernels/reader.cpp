// SPDX-License-Identifier: Apache-2.0
// Brings a tile of ones, then the rows.
#include "ones_tile.hpp"

void kernel_main() {
    const auto range = UnitRange::read();
    const Rows rows = rows_of_arguments();
    const TensorAccessor input(ReaderTensors::input(),
                               ReaderTensors::input_address(UnitRange::kCount));

    // The ones come first: the first row cannot be finished without them.
    push_ones();
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        for (uint32_t column = 0; column < rows.columns; column += kBlock) {
            push_strip(input, rows, unit * kTileRows, column);
        }
    }
}
