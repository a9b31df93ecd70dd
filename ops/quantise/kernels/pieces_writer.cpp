// SPDX-License-Identifier: Apache-2.0
// Makes the scales of pieces, or of the rows that they are of, from their largest magnitudes, and
// stores codes and scales. A static scale is read once.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "pieces.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_counts = index_of(Cb::WriterCounts);
constexpr uint32_t cb_static = index_of(Cb::Exchange);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t kTileWords = 1024;  // of float32

struct Shapes {
    Pieces pieces;
    PieceArgs args;
    PieceWriterArgs own;
    ScaleBlock block;
    ScaleRule rule;
    float most;
    uint32_t static_bits;
};

// Bits of the scale of a largest magnitude.
uint32_t scale_bits(const Shapes& shapes, uint32_t largest) {
    if (shapes.block == ScaleBlock::Static) {
        return shapes.static_bits;
    }
    scale_rule::FloatWord scale;
    scale.value = scale_rule::scale_of(largest, shapes.rule, shapes.most);
    return scale.bits;
}

// Returns the bits of what compute scales by.
uint32_t factor_of(const Shapes& shapes, uint32_t bits) {
    scale_rule::FloatWord scale;
    scale.bits = bits;
    if (shapes.rule == ScaleRule::PerToken) {
        scale.value = 1.0F / scale.value;
    }
    return scale.bits;
}

// Gives compute the factor of a row of a strip.
void put_factor(uint32_t row, uint32_t factor) {
    words_at(get_write_ptr(cb_scale))[scale_rule::word_of_row(row)] = factor;
}

// Returns the bits of the largest magnitude of a row of a strip.
uint32_t largest_of(const Shapes& shapes, const tt_l1_ptr uint32_t* tile, uint32_t row) {
    return static_cast<Largest>(shapes.own.largest) == Largest::OfRows
               ? tile[scale_rule::word_of_row(row)]
               : scale_rule::largest_of_row(tile, row);
}

// Returns the L1 address of the scales of the rows of a run.
tt_l1_ptr uint32_t* kept_of(const Shapes& shapes, uint32_t slot) {
    return words_at(get_write_ptr(cb_scales) + slot * shapes.own.scale_stride);
}

// Each piece of a strip has a scale of its own.
void scale_pieces(const Shapes& shapes, uint32_t first, uint32_t end) {
    const bool has_largest = shapes.block != ScaleBlock::Static;
    if (has_largest) {
        cb_wait_front(cb_largest, 1);
    }
    cb_reserve_back(cb_scale, 1);
    const auto* tile = words_at(get_read_ptr(cb_largest));
    uint32_t slot = 0;
    shapes.pieces.for_each_run(first, end, kStripRows, [&](const Run& run) {
        tt_l1_ptr uint32_t* kept = kept_of(shapes, slot) + run.column / kPiece;
        for (uint32_t i = 0; i < run.count; ++i) {
            const uint32_t row = run.piece - first + i;
            kept[i] = scale_bits(shapes, has_largest ? largest_of(shapes, tile, row) : 0);
            put_factor(row, factor_of(shapes, kept[i]));
        }
        slot += 1;
    });
    cb_push_back(cb_scale, 1);
    if (has_largest) {
        cb_pop_front(cb_largest, 1);
    }
}

// Rows of a group by the pieces of its strips, counted through.
struct RowOfPiece {
    uint32_t per_row;
    uint32_t slot = 0;
    uint32_t place = 0;

    void advance() {
        place += 1;
        if (place == per_row) {
            place = 0;
            slot += 1;
        }
    }
};

// Finds the largest magnitude of each row of a group, over the strips of its pieces. Calls
// between(strip) after each strip but the last one. @returns the number of rows.
template <class Between>
uint32_t find_largest(const Shapes& shapes, uint32_t pieces, uint32_t (&largest)[kStripRows],
                      const Between& between) {
    fill_words(largest, kStripRows, 0);
    RowOfPiece row{shapes.pieces.per_row};
    for (uint32_t strip = 0; strip < shapes.args.group_pieces; strip += kStripRows) {
        cb_wait_front(cb_largest, 1);
        const auto* tile = words_at(get_read_ptr(cb_largest));
        // The last group may have fewer pieces than strips.
        const uint32_t count = strip < pieces ? smaller(kStripRows, pieces - strip) : 0;
        for (uint32_t i = 0; i < count; ++i, row.advance()) {
            largest[row.slot] = larger(largest[row.slot], largest_of(shapes, tile, i));
        }
        cb_pop_front(cb_largest, 1);
        if (strip + kStripRows < shapes.args.group_pieces) {
            between(strip);
        }
    }
    return row.slot;
}

// Scales whole rows. All pieces of a row have its scale: strips hold several rows, or a row fills
// several strips.
template <class Between>
void scale_rows(const Shapes& shapes, uint32_t first, uint32_t end, const Between& between) {
    uint32_t factors[kStripRows];
    const uint32_t rows = find_largest(shapes, end - first, factors, between);
    for (uint32_t slot = 0; slot < rows; ++slot) {
        const uint32_t bits = scale_bits(shapes, factors[slot]);
        kept_of(shapes, slot)[0] = bits;
        factors[slot] = factor_of(shapes, bits);
    }
    RowOfPiece row{shapes.pieces.per_row};
    cb_reserve_back(cb_scale, shapes.own.scale_tiles);
    tt_l1_ptr uint32_t* tile = words_at(get_write_ptr(cb_scale));
    for (uint32_t strip = 0; strip < shapes.own.scale_tiles; ++strip, tile += kTileWords) {
        for (uint32_t i = 0; i < kStripRows && row.slot < rows; ++i, row.advance()) {
            tile[scale_rule::word_of_row(i)] = factors[row.slot];
        }
    }
    cb_push_back(cb_scale, shapes.own.scale_tiles);
}

template <class Codes>
void store_strip(const Codes& codes, const Shapes& shapes, const CountedRows& rows, uint32_t first,
                 uint32_t end) {
    cb_wait_front(cb_out, kStripTiles);
    const uint32_t code_bytes = shapes.own.code_bytes;
    shapes.pieces.for_each_run(first, end, kStripRows, [&](const Run& run) {
        if (rows.is_counted(run.row)) {
            noc_async_write(get_read_ptr(cb_out) + (run.piece - first) * kPiece * code_bytes,
                            codes.get_noc_addr(run.row, run.column * code_bytes),
                            run.columns * code_bytes);
        }
    });
    noc_async_writes_flushed();
    cb_pop_front(cb_out, kStripTiles);
}

template <class Scales>
void store_scales(const Scales& scales, const Shapes& shapes, uint32_t first, uint32_t end) {
    uint32_t slot = 0;
    shapes.pieces.for_each_run(first, end, end - first, [&](const Run& run) {
        const bool is_whole = shapes.block == ScaleBlock::Row;
        const uint32_t place = is_whole ? 0 : run.column / kPiece;
        noc_async_write(get_write_ptr(cb_scales) + slot * shapes.own.scale_stride + place * 4,
                        scales.get_noc_addr(run.row, place * 4), is_whole ? 4 : run.count * 4);
        slot += 1;
    });
}

// The bits of the scale that an operand gives.
uint32_t static_scale() {
    const auto scale = TensorAccessor(WriterTensors::static_scale(),
                                      WriterTensors::static_scale_address(GroupRange::kCount));
    read_pages(scale, 0, 1, get_write_ptr(cb_static), 0, 4);
    return words_at(get_write_ptr(cb_static))[0];
}

Shapes shapes_of(const PieceArgs& args) {
    const auto own = PieceWriterArgs::read();
    const auto block = static_cast<ScaleBlock>(own.block);
    scale_rule::FloatWord most;
    most.bits = own.most_bits;
    return {.pieces = pieces_of(args),
            .args = args,
            .own = own,
            .block = block,
            .rule = static_cast<ScaleRule>(own.rule),
            .most = most.value,
            .static_bits = block == ScaleBlock::Static ? static_scale() : 0};
}

// Scales the groups of a core and stores their codes and scales. Compute makes codes of the group
// before while it finds the largest magnitudes of a group.
template <class Codes, class Scales>
void store_groups(const Shapes& shapes, const Codes& codes, const Scales& scales,
                  const CountedRows& rows, uint32_t first, uint32_t end) {
    const uint32_t group_pieces = shapes.args.group_pieces;
    // Stores the strip of a group that starts at its `strip`-th piece.
    const auto store = [&](uint32_t group, uint32_t strip) {
        const uint32_t strip_end = smaller(group + smaller(strip + kStripRows, group_pieces), end);
        store_strip(codes, shapes, rows, group + strip, strip_end);
    };
    const uint32_t last_strip = (div_up(group_pieces, kStripRows) - 1) * kStripRows;
    uint32_t group = first;
    for (; group < end; group += group_pieces) {
        const auto store_before = [&](uint32_t strip) {
            if (group > first) {
                store(group - group_pieces, strip);
            }
        };
        const uint32_t group_end = smaller(group + group_pieces, end);
        noc_async_writes_flushed();  // scales go where those of the group before were
        if (shapes.block == ScaleBlock::Row) {
            scale_rows(shapes, group, group_end, store_before);
        } else {
            scale_pieces(shapes, group, group_end);
        }
        if (shapes.block != ScaleBlock::Static) {
            store_scales(scales, shapes, group, group_end);
        }
        store_before(last_strip);
    }
    for (uint32_t strip = 0; strip <= last_strip; strip += kStripRows) {
        store(group - group_pieces, strip);
    }
}

}  // namespace

void kernel_main() {
    const auto range = GroupRange::read();
    const auto args = PieceArgs::read();
    const Shapes shapes = shapes_of(args);
    const auto codes =
        TensorAccessor(WriterTensors::codes(), WriterTensors::codes_address(GroupRange::kCount));
    const auto scales =
        TensorAccessor(WriterTensors::scales(), WriterTensors::scales_address(GroupRange::kCount));
    const auto counts =
        TensorAccessor(WriterTensors::counts(), WriterTensors::counts_address(GroupRange::kCount));
    const uint32_t first = range.first_group * args.group_pieces;
    const uint32_t end = smaller(first + range.num_groups * args.group_pieces, args.num_pieces);
    const CountedRows rows =
        counted_rows(counts, cb_counts, first / args.pieces, div_up(end, args.pieces));
    store_groups(shapes, codes, scales, rows, first, end);
    noc_async_write_barrier();
}
