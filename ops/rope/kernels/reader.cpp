// SPDX-License-Identifier: Apache-2.0
// Makes the matrices that sort elements and partners; brings heads with the factors of each row.
#include "../../shared/kernels/word_list.hpp"
#include "../../shared/row_strips/kernels/strip_rows.hpp"
#include "args.hpp"

namespace {

using tessera::ops::rope::Cb;
using tessera::ops::rope::HeadArgs;
using tessera::ops::rope::kLayoutShift;

constexpr uint32_t kCbOwn = index_of(Cb::Own);
constexpr uint32_t kCbPartner = index_of(Cb::Partner);
constexpr uint32_t kCbPositions = index_of(Cb::Positions);
constexpr uint32_t kCbFactors = index_of(Cb::FactorRows);
constexpr uint32_t kCbPartnerFactors = index_of(Cb::PartnerFactorRows);
constexpr uint32_t kMatrixTiles = kStripTiles * kStripTiles;
constexpr uint32_t kOneFloat = 0x3F800000;
enum Layout : uint32_t { kInterleaved, kHalf, kDeinterleaved };

struct Head {
    uint32_t columns;  // of its first strip
    uint32_t first;
    uint32_t dim;
    uint32_t layout;

    // Returns the element of the head from which a rotated element of the result is made.
    uint32_t own(uint32_t element) const {
        return layout == kDeinterleaved ? 2 * (element % (dim / 2)) + element / (dim / 2) : element;
    }
    uint32_t partner(uint32_t element) const {
        return layout == kHalf ? (element + dim / 2) % dim : own(element) ^ 1;
    }
};

void set_one(uint32_t cb, uint32_t row, uint32_t column) {
    auto* halves = reinterpret_cast<Halves>(get_write_ptr(cb));
    const uint32_t tile = row / 32 * kStripTiles + column / 32;
    halves[tile * 2 * kTileWords + place_in_tile(row % 32, column % 32)] = kOne;
}

void push_matrices(const Head& head) {
    for (const uint32_t cb : {kCbOwn, kCbPartner}) {
        cb_reserve_back(cb, kMatrixTiles);
        // Copies through the NoC: a store costs the core about ten cycles with its loop.
        fill_l1(get_write_ptr(cb), kMatrixTiles * kTileWords * sizeof(uint32_t), 0);
    }
    // One entry of 1 in each column of the first matrix, and in each rotated column of the second.
    for (uint32_t column = 0; column < head.columns; ++column) {
        const uint32_t element = column - head.first;
        const bool is_rotated = column >= head.first && element < head.dim;
        set_one(kCbOwn, is_rotated ? head.first + head.own(element) : column, column);
        if (is_rotated) {
            set_one(kCbPartner, head.first + head.partner(element), column);
        }
    }
    cb_push_back(kCbOwn, kMatrixTiles);
    cb_push_back(kCbPartner, kMatrixTiles);
}

// Elements that stay as they are are multiplied by 1, and their partners by 0. Rotated columns are
// read over them.
void fill_factors(uint32_t cb, uint32_t value) {
    fill_l1(get_write_ptr(cb), kTileRows * kBlock * sizeof(uint32_t), value);
}

// Written once: rotated columns are overwritten for each row, the rest is constant.
void fill_constant_factors() {
    fill_factors(kCbFactors, kOneFloat);
    fill_factors(kCbPartnerFactors, 0);
}

// Pushes the 32 rows of heads from `first` on, a strip of columns after the other.
void push_rows(const PageAccessor& input, const Rows& rows, uint32_t first) {
    for (uint32_t column = 0; column < rows.columns; column += kBlock) {
        push_strip(input, rows, first, column);
    }
}

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const Rows rows = rows_of_arguments();
    const auto args = HeadArgs::read();
    const Head head{smaller(rows.columns, kBlock), args.first, args.dim,
                    args.layout_and_width >> kLayoutShift};
    const uint32_t list_width = args.layout_and_width & ((1U << kLayoutShift) - 1);
    const TensorAccessor input(ReaderTensors::input(),
                               ReaderTensors::input_address(UnitRange::kCount));
    const TensorAccessor table(ReaderTensors::first_operand(),
                               ReaderTensors::first_operand_address(UnitRange::kCount));
    const TensorAccessor positions(ReaderTensors::second_operand(),
                                   ReaderTensors::second_operand_address(UnitRange::kCount));

    push_matrices(head);
    fill_constant_factors();
    WordList<PageAccessor> list{positions, list_width == 0 ? 1 : list_width,
                                get_write_ptr(kCbPositions)};
    const uint32_t part_bytes = (head.dim + 15) / 16 * 16 * sizeof(float);
    const uint32_t bytes = head.dim * sizeof(float);
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        const uint32_t first = unit * kTileRows;
        push_rows(input, rows, first);
        cb_reserve_back(kCbFactors, kStripTiles);
        cb_reserve_back(kCbPartnerFactors, kStripTiles);
        // Rows of a token share its factors; each is read to its own place.
        for (uint32_t row = first; row < smaller(first + kTileRows, rows.count); ++row) {
            const uint32_t token = row / args.rows_each;
            const uint32_t entry = list_width == 0 ? token : list.at(token);
            const uint32_t place = ((row - first) * kBlock + head.first) * sizeof(float);
            noc_async_read(table.get_noc_addr(entry), get_write_ptr(kCbFactors) + place, bytes);
            noc_async_read(table.get_noc_addr(entry, part_bytes),
                           get_write_ptr(kCbPartnerFactors) + place, bytes);
        }
        // One barrier for the factors of 32 rows.
        noc_async_read_barrier();
        cb_push_back(kCbFactors, kStripTiles);
        cb_push_back(kCbPartnerFactors, kStripTiles);
    }
}
