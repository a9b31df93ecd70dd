// SPDX-License-Identifier: Apache-2.0
// Swaps rows and channels of a tiled tensor. Writes each face row of an input tile to the output
// tile of that row, at the offset of the input's channel. Then writes the padding channels of
// output tiles, one partial face at a time.
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t kTileSide = 32;
constexpr uint32_t kFaceSide = 16;
constexpr uint32_t kFacesAcross = kTileSide / kFaceSide;

uint32_t tiles_for(uint32_t elements) {
    return (elements + kTileSide - 1) / kTileSide;
}

template <class Accessor>
void write_tile(const Accessor& output, const FaceRowArgs& extents, uint32_t tile,
                uint32_t l1_addr) {
    const uint32_t column = tile % extents.column_tiles;
    const uint32_t rest = tile / extents.column_tiles;
    const uint32_t row_tile = rest % tiles_for(extents.rows);
    const uint32_t plane = rest / tiles_for(extents.rows);
    const uint32_t channel = plane % extents.channels;
    const uint32_t first_row = plane / extents.channels * extents.rows + row_tile * kTileSide;
    const uint32_t left = extents.rows - row_tile * kTileSide;

    const uint32_t pages_of_row = tiles_for(extents.channels) * extents.column_tiles;
    const uint32_t face_bytes = kFaceSide * extents.line_bytes;
    const uint32_t line = channel % kTileSide;
    const uint32_t line_offset =
        line / kFaceSide * kFacesAcross * face_bytes + line % kFaceSide * extents.line_bytes;
    uint32_t first_page =
        first_row * pages_of_row + channel / kTileSide * extents.column_tiles + column;
    for (uint32_t face_row = 0; face_row < kTileSide && face_row < left; face_row += kFaceSide) {
        const uint32_t lines = left - face_row < kFaceSide ? left - face_row : kFaceSide;
        for (uint32_t face = 0; face < kFacesAcross; ++face) {
            const uint32_t offset = line_offset + face * face_bytes;
            uint32_t page = first_page;
            for (uint32_t i = 0; i < lines; ++i) {
                noc_async_write(l1_addr, output.get_noc_addr(page, offset), extents.line_bytes);
                l1_addr += extents.line_bytes;
                page += pages_of_row;
            }
            l1_addr += (kFaceSide - lines) * extents.line_bytes;
        }
        first_page += kFaceSide * pages_of_row;
    }
}

template <class Accessor>
void fill_up_tile(const Accessor& output, const FaceRowArgs& extents, uint32_t tile,
                  uint32_t l1_addr) {
    const uint32_t page =
        (tile / extents.column_tiles + 1) * tiles_for(extents.channels) * extents.column_tiles -
        extents.column_tiles + tile % extents.column_tiles;
    const uint32_t used = extents.channels % kTileSide;
    uint32_t first = used % kFaceSide;
    for (uint32_t face_row = used / kFaceSide; face_row < kFacesAcross; ++face_row) {
        for (uint32_t column = 0; column < kFacesAcross; ++column) {
            const uint32_t line = (face_row * kFacesAcross + column) * kFaceSide + first;
            noc_async_write(l1_addr, output.get_noc_addr(page, line * extents.line_bytes),
                            (kFaceSide - first) * extents.line_bytes);
        }
        first = 0;
    }
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    constexpr uint32_t cb_filler = tt::CBIndex::c_1;
    const auto extents = FaceRowArgs::read();
    const auto output = TensorAccessor(FaceRowTensors::output(), FaceRowTensors::output_address());
    const auto range = FaceRowRange::read(FaceRowTensors::Addresses::kCount);

    for (uint32_t tile = range.first_tile; tile < range.first_tile + range.num_tiles; ++tile) {
        cb_wait_front(cb_tiles, 1);
        write_tile(output, extents, tile, get_read_ptr(cb_tiles));
        noc_async_write_barrier();
        cb_pop_front(cb_tiles, 1);
    }
    if (extents.channels % kTileSide == 0) {
        return;
    }
    cb_wait_front(cb_filler, 1);
    for (uint32_t tile = range.first_filled; tile < range.first_filled + range.num_filled; ++tile) {
        fill_up_tile(output, extents, tile, get_read_ptr(cb_filler));
    }
    noc_async_write_barrier();
    cb_pop_front(cb_filler, 1);
}
