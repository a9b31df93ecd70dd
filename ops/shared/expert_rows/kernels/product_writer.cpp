// SPDX-License-Identifier: Apache-2.0
// Scatters the rows of each unit to the output, or zeros to rows of no expert of this device.
#include "product_args.hpp"
#include "table_words.hpp"

namespace {

using namespace tessera::ops::row_products;
using tessera::ops::index_of;

constexpr uint32_t cb_units = index_of(Cb::WriterUnits);
constexpr uint32_t cb_zeros = index_of(Cb::WriterZeros);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;
constexpr uint32_t tile_row_bytes = tt::constants::TILE_WIDTH * 2;  // bfloat16

// Writes the rows of the unit in `words` to their places.
template <class Accessor>
void scatter(const Accessor& output, const WriterArgs& args, const tt_l1_ptr uint32_t* words,
             uint32_t zeros) {
    const uint32_t strip = args.strip;
    const bool is_zero = static_cast<Announced>(words[0]) == Announced::ZeroUnit;
    const uint32_t start = words[1] * tile_row_bytes;
    const uint32_t width = words[2] * tile_row_bytes;
    // Compute packs whole strips, or only the columns of a unit.
    const uint32_t stride = args.run_height > 1 ? width : strip * tile_row_bytes;
    const uint32_t bytes = width < args.row_bytes - start ? width : args.row_bytes - start;
    if (!is_zero) {
        cb_wait_front(cb_out, strip);
    }
    // Row by row: the rows of a unit belong to different tokens, so their places are scattered.
    for (uint32_t i = 0; i < tile_height; ++i) {
        if (words[3 + i] != kNobody) {
            noc_async_write(is_zero ? zeros : get_read_ptr(cb_out) + i * stride,
                            output.get_noc_addr(words[3 + i], start), bytes);
        }
    }
    // The packed rows have left L1; compute may pack the next strip over them.
    noc_async_writes_flushed();
    if (!is_zero) {
        cb_pop_front(cb_out, strip);
    }
}

}  // namespace

void kernel_main() {
    const auto args = WriterArgs::read();
    const auto output = TensorAccessor(WriterTensors::output(), WriterTensors::output_address());

    // Zeros are made once: all rows of other devices' experts are sent from here.
    const uint32_t zeros = get_write_ptr(cb_zeros);
    fill_words(words_at(zeros), args.strip * tile_row_bytes / 4, 0);
    for (;;) {
        cb_wait_front(cb_units, 1);
        // The reader's words: kind of the unit, first column tile, width in tiles, and the place of
        // each of 32 rows.
        const tt_l1_ptr uint32_t* words = words_at(get_read_ptr(cb_units));
        if (static_cast<Announced>(words[0]) == Announced::End) {
            cb_pop_front(cb_units, 1);
            break;
        }
        scatter(output, args, words, zeros);
        cb_pop_front(cb_units, 1);
    }
    noc_async_write_barrier();
}
