// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/int8_maths.hpp"

#include <array>

#include "emu/tile/format/integer.hpp"

namespace tessera::tile {
namespace {

using Slots = std::array<float, kTileElements>;

Slots unpacked(const std::byte* tile) {
    Slots slots;
    unpack_int8_tile(tile, slots.data());
    return slots;
}

std::uint32_t at(const Slots& slots, std::uint32_t row, std::uint32_t column) {
    return bits_in(slots[tile_offset(row, column)]);
}

// Unsigned: sums and products of int8 wrap alike.
std::uint32_t applied(EltwiseOp op, std::uint32_t a, std::uint32_t b) {
    switch (op) {
        case EltwiseOp::Add:
            return a + b;
        case EltwiseOp::Sub:
            return a - b;
        case EltwiseOp::Mul:
            return a * b;
    }
    return 0;
}

}  // namespace

void eltwise_int8_tile(EltwiseOp op, const std::byte* a, const std::byte* b, float* dst,
                       const EltwiseMode& mode, std::uint32_t row) {
    const Slots left = unpacked(a);
    const Slots right = unpacked(b);
    const bool is_one_row = mode.broadcast == Broadcast::Rows;
    const bool is_one_column = mode.broadcast == Broadcast::Columns;
    const bool is_scalar = mode.broadcast == Broadcast::Scalar;
    for (std::uint32_t r = 0; r < kTileRows; ++r) {
        for (std::uint32_t c = 0; c < kTileColumns; ++c) {
            const std::uint32_t second = at(right,
                                            is_one_row  ? row
                                            : is_scalar ? 0
                                                        : r,
                                            is_one_column || is_scalar ? 0 : c);
            float& out = dst[tile_offset(r, c)];
            const std::uint32_t before = mode.update == DstUpdate::Accumulate ? bits_in(out) : 0;
            out = slot_of(before + applied(op, at(left, r, c), second));
        }
    }
}

void matmul_int8_tile(const std::byte* in0, const std::byte* in1, Orientation in1_orientation,
                      float* dst) {
    const Slots left = unpacked(in0);
    const Slots right = unpacked(in1);
    const bool transposes = in1_orientation == Orientation::Transposed;
    for (std::uint32_t r = 0; r < kTileRows; ++r) {
        for (std::uint32_t c = 0; c < kTileColumns; ++c) {
            float& out = dst[tile_offset(r, c)];
            std::uint32_t sum = bits_in(out);
            for (std::uint32_t k = 0; k < kTileColumns; ++k) {
                sum += at(left, r, k) * (transposes ? at(right, c, k) : at(right, k, c));
            }
            out = slot_of(sum);
        }
    }
}

}  // namespace tessera::tile
