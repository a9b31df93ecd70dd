// SPDX-License-Identifier: Apache-2.0
// Makes the Hadamard matrix in tiles, then brings the rows, a strip each.
#include "../../row_strips/kernels/strip_rows.hpp"

namespace {

constexpr uint32_t kCbMatrix = 2;

// +1 or −1, as the parity of the bits that row and column share says.
uint16_t entry(uint32_t row, uint32_t column) {
    uint32_t shared = row & column;
    shared ^= shared >> 4;
    shared ^= shared >> 2;
    shared ^= shared >> 1;
    return static_cast<uint16_t>(kOne | (shared & 1) << 15);
}

// Tiles in the order of k, then of columns. Rows have zeros behind `size`, so that the whole strip
// may be multiplied.
void push_matrix(uint32_t size) {
    cb_reserve_back(kCbMatrix, kStripTiles * kStripTiles);
    auto* halves = reinterpret_cast<Halves>(get_write_ptr(kCbMatrix));
    for (uint32_t row = 0; row < kBlock; ++row) {
        for (uint32_t column = 0; column < kBlock; ++column) {
            const uint32_t tile = row / 32 * kStripTiles + column / 32;
            const bool is_inside = row < size && column < size;
            halves[tile * 2 * kTileWords + place_in_tile(row % 32, column % 32)] =
                is_inside ? entry(row, column) : 0;
        }
    }
    cb_push_back(kCbMatrix, kStripTiles * kStripTiles);
}

}  // namespace

void kernel_main() {
    const uint32_t first_unit = get_arg_val<uint32_t>(0);
    const uint32_t num_units = get_arg_val<uint32_t>(1);
    const Rows rows = rows_of_arguments();
    const TensorAccessor input(TensorAccessorArgs<12>(), get_arg_val<uint32_t>(2));

    push_matrix(rows.columns);
    for (uint32_t unit = first_unit; unit < first_unit + num_units; ++unit) {
        push_strip(input, rows, unit * kTileRows, 0);
    }
}
