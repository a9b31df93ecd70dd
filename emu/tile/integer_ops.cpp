// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/integer_ops.hpp"

#include <array>
#include <cstring>

#include "tessera/data_format.hpp"

namespace tessera::tile {
namespace {

using TileWords = std::array<std::uint32_t, kTileElements>;

TileWords words_of(const float* tile) {
    TileWords words;
    std::memcpy(words.data(), tile, sizeof(words));
    return words;
}

template <class Op>
void zip(TileWords& a, const TileWords& b, Op op) {
    for (std::size_t i = 0; i < kTileElements; ++i) {
        a[i] = op(a[i], b[i]);
    }
}

void apply(IntegerOp op, TileWords& a, const TileWords& b) {
    using Word = std::uint32_t;
    switch (op) {
        case IntegerOp::Add:
            return zip(a, b, [](Word x, Word y) { return x + y; });
        case IntegerOp::Sub:
            return zip(a, b, [](Word x, Word y) { return x - y; });
        case IntegerOp::Mul:
            return zip(a, b, [](Word x, Word y) { return x * y; });
        case IntegerOp::And:
            return zip(a, b, [](Word x, Word y) { return x & y; });
        case IntegerOp::Or:
            return zip(a, b, [](Word x, Word y) { return x | y; });
        case IntegerOp::Xor:
            return zip(a, b, [](Word x, Word y) { return x ^ y; });
        case IntegerOp::ShiftLeft:
            return zip(a, b, [](Word x, Word y) { return y < 32 ? x << y : 0; });
        case IntegerOp::ShiftRight:
            return zip(a, b, [](Word x, Word y) { return y < 32 ? x >> y : 0; });
    }
}

}  // namespace

void integer_tile(IntegerOp op, const float* a, const float* b, float* out) {
    TileWords words = words_of(a);
    apply(op, words, words_of(b));
    std::memcpy(out, words.data(), sizeof(words));
}

void integer_with_scalar_tile(IntegerOp op, float* tile, std::uint32_t scalar) {
    TileWords words = words_of(tile);
    TileWords filled;
    filled.fill(scalar);
    apply(op, words, filled);
    std::memcpy(tile, words.data(), sizeof(words));
}

void bitwise_not_tile(float* tile) {
    integer_with_scalar_tile(IntegerOp::Xor, tile, 0xFFFFFFFFU);
}

void fill_integer_tile(float* tile, std::uint32_t value) {
    TileWords filled;
    filled.fill(value);
    std::memcpy(tile, filled.data(), sizeof(filled));
}

}  // namespace tessera::tile
