// SPDX-License-Identifier: Apache-2.0
// Finds the largest magnitudes of each block of tiles, then makes its codes. Elements of a tile
// beyond the matrix take no part and are 0.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_values = index_of(TileCb::Values);
constexpr uint32_t cb_codes = index_of(TileCb::Codes);
constexpr uint32_t cb_scales = index_of(TileCb::Scales);
constexpr uint32_t kTileSide = 32;
constexpr uint32_t kTileElements = 1024;
constexpr uint32_t kValueBytes = 2048;
constexpr uint32_t kExponents = 64;  // of a tile in a block format

using scale_rule::FloatWord;

struct Matrix {
    uint32_t rows;
    uint32_t columns;
    uint32_t row_tiles;  // of a unit
    uint32_t blocks;     // along the columns
    bool is_by_row;      // a scale for each row of a block
    ScaleRule rule;
    Codes codes;
    uint32_t code_bytes;    // of a tile
    uint32_t scale_stride;  // in L1, of the scales of one row

    uint32_t tiles_down() const { return div_up(rows, kTileSide); }
    uint32_t tiles_across() const { return div_up(columns, kTileSide); }
    uint32_t units() const { return div_up(tiles_down(), row_tiles); }
    uint32_t block_tiles() const { return blocks == 1 ? tiles_across() : 4; }
    // Returns 448, 127 or 7, the largest magnitudes of the three codes.
    float most() const {
        return codes == Codes::Fp8E4m3 ? 448.0F : codes == Codes::Int8 ? 127.0F : 7.0F;
    }
};

// Tiles of one block: rows and columns of tiles in the matrix.
struct Block {
    uint32_t matrix;
    uint32_t row, end_row;
    uint32_t column, end_column;
};

// Row and column in a tile of element i: four faces of 16 by 16.
uint32_t row_of(uint32_t i) {
    return i / 512 * 16 + i % 256 / 16;
}
uint32_t column_of(uint32_t i) {
    return i % 512 / 256 * 16 + i % 16;
}

FloatWord widen(uint32_t bfloat16) {
    FloatWord word;
    word.bits = bfloat16 << 16;
    return word;
}

// To nearest even in e4m3; beyond 448 it is 448.
uint8_t e4m3_of(float value) {
    FloatWord word;
    word.value = value;
    const uint8_t sign = (uint8_t)(word.bits >> 24 & 0x80);
    const uint32_t magnitude = word.bits & 0x7FFFFFFF;
    // NaN has one code; the sign is dropped.
    if (magnitude > 0x7F800000) {
        return 0x7F;
    }
    if (magnitude < 0x3C800000) {  // below 2^-6: steps of 2^-9, which adding 2^14 rounds to
        FloatWord shifted;
        shifted.bits = magnitude;
        shifted.value += 16384.0f;
        return sign | (uint8_t)(shifted.bits & 0xF);
    }
    // Rounds 23 bits of mantissa to 3, ties to even, in the bits of the float. A carry goes into
    // the exponent.
    const uint32_t rounded = magnitude + 0x7FFFF + (magnitude >> 20 & 1);
    // Float's bias 127 becomes 7, above 3 bits of mantissa.
    const uint32_t code = (rounded >> 20) - ((127 - 7) << 3);
    return sign | (uint8_t)(code < 0x7E ? code : 0x7E);
}

// The nearest integer, ties to even, as sign and magnitude; `sign` is the sign's bit.
uint8_t integer_of(float value, uint8_t sign) {
    FloatWord shifted;
    shifted.value = value < 0 ? -value : value;
    // Adding 2^23 rounds to an integer, ties to even, in the adder itself.
    shifted.value += 8388608.0f;  // 2^23: no bits after the point
    const auto magnitude = (uint8_t)(shifted.bits & 0x7F);
    // Zero has no sign: a block format reads a negative zero as minus infinity.
    return magnitude == 0 || value >= 0 ? magnitude : (uint8_t)(sign | magnitude);
}

// Calls act(i, row in the tile) of each element of a tile that the matrix has.
template <class Act>
void for_each_element(const Matrix& matrix, uint32_t tile_row, uint32_t tile_column,
                      const Act& act) {
    for (uint32_t i = 0; i < kTileElements; ++i) {
        const uint32_t row = row_of(i);
        if (tile_row * kTileSide + row < matrix.rows &&
            tile_column * kTileSide + column_of(i) < matrix.columns) {
            act(i, row);
        }
    }
}

// Calls act(page, row and column of the tile) of each tile of a block.
template <class Act>
void for_each_tile(const Matrix& matrix, const Block& block, const Act& act) {
    for (uint32_t row = block.row; row < block.end_row; ++row) {
        for (uint32_t column = block.column; column < block.end_column; ++column) {
            act((block.matrix * matrix.tiles_down() + row) * matrix.tiles_across() + column, row,
                column);
        }
    }
}

void put_code(const Matrix& matrix, tt_l1_ptr uint8_t* codes, uint32_t i, float value) {
    if (matrix.codes == Codes::Fp8E4m3) {
        codes[i] = e4m3_of(value);
    } else if (matrix.codes == Codes::Int8) {
        codes[kExponents + i] = integer_of(value, 0x80);
    } else {
        const uint8_t code = integer_of(value, 0x8);
        const uint32_t at = kExponents + i / 2;
        // Two codes share a byte; the first of a pair writes it whole.
        codes[at] = i % 2 == 0 ? code : (uint8_t)(codes[at] | code << 4);
    }
}

// One exponent for all, under which the last bit of a magnitude is 1.
void clear_codes(const Matrix& matrix, tt_l1_ptr uint8_t* codes) {
    for (uint32_t i = 0; i < matrix.code_bytes; ++i) {
        codes[i] = 0;
    }
    for (uint32_t i = 0; matrix.codes != Codes::Fp8E4m3 && i < kExponents; ++i) {
        // The exponent under which bit 0 of the magnitude is worth 1.
        codes[i] = matrix.codes == Codes::Int8 ? 127 + 6 : 127 + 2;
    }
}

template <class Input, class CodesOut>
void make_codes(const Matrix& matrix, const Block& block, const Input& input,
                const CodesOut& codes_out, tt_l1_ptr uint32_t* scales) {
    const auto* values = reinterpret_cast<const tt_l1_ptr uint16_t*>(get_write_ptr(cb_values));
    auto* codes = reinterpret_cast<tt_l1_ptr uint8_t*>(get_write_ptr(cb_codes));
    const uint32_t step = matrix.is_by_row ? matrix.scale_stride / 4 : 0;
    for_each_tile(matrix, block, [&](uint32_t page, uint32_t tile_row, uint32_t tile_column) {
        // A tile at a time and read twice, for the scale and for the codes: a block of a matrix may
        // exceed L1.
        read_pages(input, page, 1, get_write_ptr(cb_values), 0, kValueBytes);
        clear_codes(matrix, codes);
        for_each_element(matrix, tile_row, tile_column, [&](uint32_t i, uint32_t row) {
            FloatWord scale;
            scale.bits = scales[row * step];
            const float value = widen(values[i]).value;
            put_code(matrix, codes, i,
                     matrix.rule == ScaleRule::PerToken ? value * (1.0F / scale.value)
                                                        : value / scale.value);
        });
        write_pages(codes_out, page, 1, get_write_ptr(cb_codes), 0, matrix.code_bytes);
    });
}

template <class Input>
void find_scales(const Matrix& matrix, const Block& block, const Input& input,
                 tt_l1_ptr uint32_t* scales) {
    const auto* values = reinterpret_cast<const tt_l1_ptr uint16_t*>(get_write_ptr(cb_values));
    uint32_t largest[kTileSide];
    for (uint32_t row = 0; row < kTileSide; ++row) {
        largest[row] = 0;
    }
    for_each_tile(matrix, block, [&](uint32_t page, uint32_t tile_row, uint32_t tile_column) {
        read_pages(input, page, 1, get_write_ptr(cb_values), 0, kValueBytes);
        for_each_element(matrix, tile_row, tile_column, [&](uint32_t i, uint32_t row) {
            // Magnitudes compare as integers; the sign is masked off.
            const uint32_t magnitude = (uint32_t)(values[i] & 0x7FFF) << 16;
            uint32_t& held = largest[matrix.is_by_row ? row : 0];
            // NaN and infinity take no part, so that one such element does not make all codes 0.
            held = magnitude <= 0x7F800000 && magnitude > held ? magnitude : held;
        });
    });
    for (uint32_t row = 0; row < (matrix.is_by_row ? kTileSide : 1); ++row) {
        FloatWord scale;
        scale.value = scale_rule::scale_of(largest[row], matrix.rule, matrix.most());
        scales[row * matrix.scale_stride / 4] = scale.bits;
    }
}

// Makes scales and codes of each block of a unit: some rows of tiles of one matrix.
template <class Input, class CodesOut>
void code_unit(const Matrix& matrix, uint32_t unit, const Input& input, const CodesOut& codes_out) {
    // Blocks along the columns have their scales side by side, as they are stored.
    const uint32_t scales_l1 = get_write_ptr(cb_scales);
    const uint32_t row = unit % matrix.units() * matrix.row_tiles;
    const uint32_t end_row =
        row + matrix.row_tiles < matrix.tiles_down() ? row + matrix.row_tiles : matrix.tiles_down();
    for (uint32_t b = 0; b < matrix.blocks; ++b) {
        const uint32_t column = b * matrix.block_tiles();
        const uint32_t end_column = column + matrix.block_tiles() < matrix.tiles_across()
                                        ? column + matrix.block_tiles()
                                        : matrix.tiles_across();
        const Block block{unit / matrix.units(), row, end_row, column, end_column};
        // The scale is known when all tiles of the block have been seen.
        find_scales(matrix, block, input, words_at(scales_l1 + b * 4));
        make_codes(matrix, block, input, codes_out, words_at(scales_l1 + b * 4));
    }
}

template <class ScalesOut>
void store_scales(const Matrix& matrix, uint32_t unit, const ScalesOut& scales_out) {
    const uint32_t row = unit % matrix.units() * matrix.row_tiles;
    const uint32_t matrix_rows = matrix.is_by_row ? matrix.rows : matrix.units();
    const uint32_t first_row = matrix.is_by_row ? row * kTileSide : row / matrix.row_tiles;
    const uint32_t left = matrix_rows - first_row;
    const uint32_t most = matrix.is_by_row ? kTileSide : 1;
    write_pages(scales_out, unit / matrix.units() * matrix_rows + first_row,
                left < most ? left : most, get_write_ptr(cb_scales), matrix.scale_stride,
                matrix.blocks * 4);
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read(TilesTensors::Addresses::kCount);
    const auto args = TilesArgs::read();
    const Matrix matrix{.rows = args.rows,
                        .columns = args.columns,
                        .row_tiles = args.row_tiles,
                        .blocks = args.blocks,
                        .is_by_row = args.is_by_row != 0,
                        .rule = static_cast<ScaleRule>(args.rule),
                        .codes = static_cast<Codes>(args.codes),
                        .code_bytes = args.code_bytes,
                        .scale_stride = args.scale_stride};
    const auto input = TensorAccessor(TilesTensors::input(), TilesTensors::input_address());
    const auto codes_out = TensorAccessor(TilesTensors::codes(), TilesTensors::codes_address());
    const auto scales_out = TensorAccessor(TilesTensors::scales(), TilesTensors::scales_address());
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        code_unit(matrix, unit, input, codes_out);
        store_scales(matrix, unit, scales_out);
    }
}
