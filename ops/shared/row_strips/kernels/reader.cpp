// SPDX-License-Identifier: Apache-2.0
// Brings a tile of ones and the vectors as tiles whose row 0 holds them, then the rows.
#include "../../kernels/arithmetic.hpp"
#include "strip_rows.hpp"

namespace {

constexpr uint32_t kCbVectors = index_of(StripCb::Vectors);
constexpr uint32_t kCbSecondVector = index_of(StripCb::SecondVector);
constexpr uint32_t kCbOnes = index_of(StripCb::Ones);
constexpr uint32_t kCbVectorRow = index_of(StripCb::VectorRow);

void push_ones() {
    cb_reserve_back(kCbOnes, 1);
    // Sums along rows are products with ones in the matrix unit.
    fill_l1(get_write_ptr(kCbOnes), kTileWords * sizeof(uint32_t), uint32_t{kOne} << 16 | kOne);
    cb_push_back(kCbOnes, 1);
}

template <class Accessor>
void push_vector(const Accessor& vector, uint32_t columns, uint32_t cb) {
    const uint32_t strips = div_up(columns, kBlock);
    const uint32_t row_l1 = get_write_ptr(kCbVectorRow);
    // One read of the whole vector, which is then spread inside of L1. Its pieces in memory would
    // be too short for reads of their own.
    noc_async_read(vector.get_noc_addr(0), row_l1, columns * sizeof(uint16_t));
    noc_async_read_barrier();
    cb_reserve_back(cb, strips * kStripTiles);
    // Two faces of 16 columns side by side have row 0 of a tile.
    constexpr uint32_t kFaceRowBytes = 16 * sizeof(uint16_t);
    const uint32_t bytes = columns * sizeof(uint16_t);
    uint32_t tile_l1 = get_write_ptr(cb);
    // A face has 16 columns, so that row 0 of a tile is in two places.
    for (uint32_t at = 0; at < bytes; at += 2 * kFaceRowBytes) {
        for (uint32_t face = 0; face < 2 && at + face * kFaceRowBytes < bytes; ++face) {
            const uint32_t from = at + face * kFaceRowBytes;
            noc_async_read(get_noc_addr(row_l1 + from),
                           tile_l1 + face * kFaceHalves * sizeof(uint16_t),
                           smaller(kFaceRowBytes, bytes - from));
        }
        tile_l1 += kTileWords * sizeof(uint32_t);
    }
    noc_async_read_barrier();
    cb_push_back(cb, strips * kStripTiles);
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const uint32_t num_vectors = tessera::ops::row_strips::VectorArgs::read().num_vectors;
    const Rows rows = rows_of_arguments();
    const TensorAccessor input(ReaderTensors::input(),
                               ReaderTensors::input_address(UnitRange::kCount));
    const TensorAccessor first_vector(ReaderTensors::first_operand(),
                                      ReaderTensors::first_operand_address(UnitRange::kCount));
    const TensorAccessor second_vector(ReaderTensors::second_operand(),
                                       ReaderTensors::second_operand_address(UnitRange::kCount));

    // The constants come first: the first row cannot be finished without them.
    push_ones();
    if (num_vectors > 0) {
        push_vector(first_vector, rows.columns, kCbVectors);
    }
    if (num_vectors > 1) {
        push_vector(second_vector, rows.columns, kCbSecondVector);
    }
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        for (uint32_t column = 0; column < rows.columns; column += kBlock) {
            push_strip(input, rows, unit * kTileRows, column);
        }
    }
}
