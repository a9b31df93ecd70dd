// SPDX-License-Identifier: Apache-2.0
// Reads a head's weights before its first unit, and 32 token rows for each unit.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/fill_l1.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::head_product;

constexpr uint32_t kCbInputRows = index_of(Cb::InputRows);
constexpr uint32_t kCbWeightRows = index_of(Cb::WeightRows);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kTileRowBytes = 64;

// Pushes 32 rows of `tiles` tiles: pages `stride` apart from `first` on, and zeros for missing rows
// and after the last element, which are multiplied too.
template <class Accessor>
void push_rows(const Accessor& tensor, uint32_t cb, uint32_t tiles, uint32_t first, uint32_t stride,
               uint32_t count, uint32_t bytes) {
    const uint32_t row_bytes = tiles * kTileRowBytes;
    cb_reserve_back(cb, tiles);
    const uint32_t l1_addr = get_write_ptr(cb);
    // Missing rows and columns are multiplied, too, so they must be zeros.
    if (bytes < row_bytes || count < kTileRows) {
        fill_l1(l1_addr, tiles * kTileBytes, 0);
    }
    for (uint32_t row = 0; row < count; ++row) {
        noc_async_read(tensor.get_noc_addr(first + row * stride), l1_addr + row * row_bytes, bytes);
    }
    // One barrier for 32 rows.
    noc_async_read_barrier();
    cb_push_back(cb, tiles);
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const auto shapes = ShapeArgs::read();
    const auto args = ReaderArgs::read();
    const TensorAccessor input(ReaderTensors::input(),
                               ReaderTensors::input_address(UnitRange::kCount));
    const TensorAccessor weight(ReaderTensors::weight(),
                                ReaderTensors::weight_address(UnitRange::kCount));

    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        const uint32_t head = unit / shapes.token_tiles;
        // A head's weights stay for all of its units on this core.
        if (unit == range.first_unit || unit % shapes.token_tiles == 0) {
            for (uint32_t row = 0; row < args.num_rows; row += kTileRows) {
                push_rows(weight, kCbWeightRows, shapes.column_tiles,
                          head * args.head_rows + args.first_row + row, 1,
                          smaller(kTileRows, args.num_rows - row), args.weight_bytes);
            }
        }
        const uint32_t token = unit % shapes.token_tiles * kTileRows;
        // Rows of a head are `heads` pages apart, since the tensor is ordered by token.
        push_rows(input, kCbInputRows, shapes.inner_tiles, token * shapes.heads + head,
                  shapes.heads, smaller(kTileRows, shapes.tokens - token), args.input_bytes);
    }
}
