// SPDX-License-Identifier: Apache-2.0
// Makes the Hadamard matrix in tiles, then brings the rows, a strip each.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/row_strips/kernels/strip_rows.hpp"
#include "args.hpp"

namespace {

constexpr uint32_t kCbMatrix = index_of(tessera::ops::hadamard::Cb::Matrix);
constexpr uint32_t kTileBytes = kTileWords * sizeof(uint32_t);
constexpr uint32_t kFaces = 4;
constexpr uint32_t kFaceRows = 16;
constexpr uint32_t kFaceRowWords = 8;
constexpr uint32_t kFaceBytes = kFaceRows * kFaceRowWords * sizeof(uint32_t);
constexpr uint32_t kBothSigns = 0x80008000;

uint32_t parity(uint32_t bits) {
    bits ^= bits >> 4;
    bits ^= bits >> 2;
    bits ^= bits >> 1;
    return bits & 1;
}

// +1 or −1, as the parity of the bits that row and column share says.
uint32_t entry(uint32_t row, uint32_t column) {
    return kOne | parity(row & column) << 15;
}

// Makes the first rows and columns of a matrix with less than 32. Rows have zeros after `size`, so
// the whole strip can be multiplied.
void make_small_tile(uint32_t l1_addr, uint32_t size) {
    fill_l1(l1_addr, kTileBytes, 0);
    auto* words = reinterpret_cast<Words>(l1_addr);
    for (uint32_t row = 0; row < size; ++row) {
        for (uint32_t column = 0; column < size; column += 2) {
            // Two entries are one word, so a store writes both.
            const uint32_t odd = column + 1 < size ? entry(row, column + 1) : 0;
            words[place_in_tile(row, column) / 2] = odd << 16 | entry(row, column);
        }
    }
}

// Makes the first 16 rows and columns, and their negatives. A word has the entries of two columns,
// which differ in odd rows.
void make_faces(Words face, Words opposite) {
    constexpr uint32_t kParities = 0x96;  // of the numbers 0 to 7, bit by bit
    for (uint32_t row = 0; row < kFaceRows; ++row) {
        const uint32_t pair = kOne | (kOne ^ (row & 1) << 15) << 16;
        for (uint32_t word = 0; word < kFaceRowWords; ++word) {
            const bool is_negative = (kParities >> (row >> 1 & word) & 1) != 0;
            face[row * kFaceRowWords + word] = is_negative ? pair ^ kBothSigns : pair;
            opposite[row * kFaceRowWords + word] = is_negative ? pair : pair ^ kBothSigns;
        }
    }
}

// Makes the first 32 rows and columns, and their negatives. The last of four faces has the other
// sign; the core computes one face of each sign, and the NoC copies them.
void make_tiles(uint32_t matrix_l1, uint32_t opposite_l1) {
    make_faces(reinterpret_cast<Words>(matrix_l1), reinterpret_cast<Words>(opposite_l1));
    for (uint32_t face = 1; face < kFaces; ++face) {
        const bool is_last = face == kFaces - 1;
        noc_async_read(get_noc_addr(is_last ? opposite_l1 : matrix_l1),
                       matrix_l1 + face * kFaceBytes, kFaceBytes);
        noc_async_read(get_noc_addr(is_last ? matrix_l1 : opposite_l1),
                       opposite_l1 + face * kFaceBytes, kFaceBytes);
    }
    noc_async_read_barrier();
}

// Pushes tiles in the order of k, then of columns. Each tile after the first is that tile or its
// negative, by the common bits of its indices. A copy costs less than 512 word stores of the core.
void push_matrix(uint32_t size) {
    cb_reserve_back(kCbMatrix, kStripTiles * kStripTiles);
    const uint32_t matrix_l1 = get_write_ptr(kCbMatrix);
    const uint32_t opposite_l1 = matrix_l1 + (kStripTiles + 1) * kTileBytes;
    const uint32_t side = div_up(size, kTileRows);
    if (size < kTileRows) {
        make_small_tile(matrix_l1, size);
    } else {
        make_tiles(matrix_l1, opposite_l1);
    }
    for (uint32_t tile = 1; tile < kStripTiles * kStripTiles; ++tile) {
        const uint32_t row = tile / kStripTiles;
        const uint32_t column = tile % kStripTiles;
        const uint32_t l1_addr = matrix_l1 + tile * kTileBytes;
        if (row >= side || column >= side) {
            fill_l1(l1_addr, kTileBytes, 0);
        } else if (l1_addr != opposite_l1) {
            noc_async_read(get_noc_addr(parity(row & column) == 0 ? matrix_l1 : opposite_l1),
                           l1_addr, kTileBytes);
        }
    }
    // The copies go through the NoC, so they must arrive before compute reads them.
    noc_async_read_barrier();
    cb_push_back(kCbMatrix, kStripTiles * kStripTiles);
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const Rows rows = rows_of_arguments();
    const TensorAccessor input(ReaderTensors::input(),
                               ReaderTensors::input_address(UnitRange::kCount));

    push_matrix(rows.columns);
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        push_strip(input, rows, unit * kTileRows, 0);
    }
}
