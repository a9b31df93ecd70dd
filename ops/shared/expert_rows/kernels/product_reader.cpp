// SPDX-License-Identifier: Apache-2.0
// Computes this core's units of work from the list of blocks, or the counts of the batches, in
// device memory. Announces each unit to compute and writer, gathers rows and feeds weights.
#include "block_scales.hpp"
#include "packed_weights.hpp"
#include "product_args.hpp"
#include "row_scales.hpp"
#include "table_words.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_compute_units = index_of(Cb::ComputeUnits);
constexpr uint32_t cb_writer_units = index_of(Cb::WriterUnits);
constexpr uint32_t cb_zeros = index_of(Cb::ReaderZeros);
constexpr uint32_t cb_bias = index_of(Cb::Bias);

struct Shapes {
    uint32_t row_bytes;
    uint32_t k_tiles;
    uint32_t n_tiles;
    uint32_t strip;
    uint32_t k_block;
    uint32_t k_chunk;
    uint32_t weight_bytes;   // bytes of a tile
    uint32_t weight_tiles;   // K tiles in a tile in memory: 2 for packed codes
    uint32_t weight_pages;   // pages of one push
    uint32_t element_bytes;  // bytes of an element of a row
    uint32_t block_tiles;    // K tiles that share a scale
    bool is_in_blocks;       // whether there are such scales

    uint32_t chunk_bytes() const { return k_chunk * tt::constants::TILE_WIDTH * element_bytes; }

    uint32_t strips() const { return div_up(n_tiles, strip); }
};

void announce_to_compute(Announced what, uint32_t columns, uint32_t has_new_rows) {
    cb_reserve_back(cb_compute_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_compute_units));
    words[0] = static_cast<uint32_t>(what);
    words[1] = columns;
    words[2] = has_new_rows;
    cb_push_back(cb_compute_units, 1);
}

void announce_to_writer(Announced what, uint32_t column, uint32_t columns, const TileRow& row) {
    cb_reserve_back(cb_writer_units, 1);
    tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_writer_units));
    words[0] = static_cast<uint32_t>(what);
    words[1] = column;
    words[2] = columns;
    for (uint32_t i = 0; what != Announced::End && i < tile_height; ++i) {
        words[3 + i] = row.targets[i];
    }
    cb_push_back(cb_writer_units, 1);
}

// Gathers the rows in chunks of K, with zeros for missing rows and after the last element.
template <class Accessor>
void gather_rows(const Accessor& rows, const Shapes& shapes, const TileRow& row) {
    const uint32_t chunk_bytes = shapes.chunk_bytes();
    for (uint32_t start = 0; start < shapes.row_bytes; start += chunk_bytes) {
        const uint32_t length = smaller(chunk_bytes, shapes.row_bytes - start);
        cb_reserve_back(cb_rows, shapes.k_chunk);
        uint32_t l1_addr = get_write_ptr(cb_rows);
        for (uint32_t i = 0; i < tile_height; ++i, l1_addr += chunk_bytes) {
            // NoC copies zeros from this core's own L1, so that the processor does not store them
            // one by one.
            if (row.sources[i] == kNobody) {
                noc_async_read(get_noc_addr(get_write_ptr(cb_zeros)), l1_addr, chunk_bytes);
                continue;
            }
            noc_async_read(rows.get_noc_addr(row.sources[i], start), l1_addr, length);
            // The processor fills the rest of a short row: K is padded to whole tiles.
            auto* bytes = reinterpret_cast<tt_l1_ptr uint8_t*>(l1_addr);
            for (uint32_t at = length; at < chunk_bytes; ++at) {
                bytes[at] = 0;
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_rows, shapes.k_chunk);
    }
}

// All data that accompanies the weights of a unit.
template <class Blocks, class Zeros, class Micro, class E4m3, class Bias>
struct WeightScales {
    const Blocks& blocks;
    const Zeros& zeros;
    const Micro& micro;
    const E4m3& e4m3;
    const Bias& bias;
    const ReaderArgs& args;
    WeightForm form;

    void hold_columns(uint32_t expert, uint32_t column, uint32_t columns) const {
        // Scales of e2m1 are bytes.
        if (is_e2m1(form)) {
            micro.held.hold(expert, column, columns);
        }
        blocks.hold_columns(expert, column, columns);
        if (args.has_zero_points != 0) {
            zeros.held.hold(expert, column, columns);
        }
    }
    void push_block(uint32_t block, const TileRow& row, uint32_t column, uint32_t columns) const {
        if (form == WeightForm::UInt4) {
            zeros.push(block, columns);
        }
        blocks.push(block, row.sources, column, columns);
    }
    // Writes row 0 of a bfloat16 tile. Its two faces have 32 bytes each, and DRAM reads may not
    // start there: both are read to the left face, and the core moves the second half.
    void push_bias(uint32_t expert, uint32_t column, uint32_t columns) const {
        constexpr uint32_t kRowBytes = 64;
        constexpr uint32_t kFaceWords = 128;
        const uint32_t tile_words = 4 * kFaceWords;
        cb_reserve_back(cb_bias, args.strip);
        tt_l1_ptr uint32_t* words = words_at(get_write_ptr(cb_bias));
        for (uint32_t c = 0; c < columns; ++c) {
            const uint32_t first = (column + c) * kRowBytes;
            noc_async_read(bias.get_noc_addr(expert, first),
                           get_write_ptr(cb_bias) + c * tile_words * 4,
                           smaller(kRowBytes, 2 * args.columns - first));
        }
        noc_async_read_barrier();
        for (uint32_t c = 0; c < columns; ++c) {
            for (uint32_t i = 0; i < kRowBytes / 8; ++i) {
                words[c * tile_words + kFaceWords + i] = words[c * tile_words + kRowBytes / 8 + i];
            }
        }
        cb_push_back(cb_bias, args.strip);
    }
};

// Tiles of the strip's weights, one row of columns for each k; pushes have the pages of whole
// blocks, also where fewer tiles are left.
template <class Accessor>
void read_weights(const Accessor& weights, const Shapes& shapes, uint32_t first_row, uint32_t first,
                  uint32_t count, uint32_t columns) {
    const uint32_t across = shapes.k_tiles / shapes.weight_tiles;
    const uint32_t l1_addr = get_write_ptr(cb_weights);
    for (uint32_t c = 0; c < columns; ++c) {
        const uint32_t tile = (first_row + c) * across + first / shapes.weight_tiles;
        for (uint32_t k = 0; k < count / shapes.weight_tiles; ++k) {
            noc_async_read_page(tile + k, weights,
                                l1_addr + (k * shapes.strip + c) * shapes.weight_bytes);
        }
    }
    noc_async_read_barrier();
}

// After a push of weights, pushes the scales of the sums that end in it.
template <class Accessor, class Scales>
void feed_weights(const Accessor& weights, const Shapes& shapes, const Scales& scales,
                  const TileRow& row, uint32_t column, uint32_t columns) {
    uint32_t scaled = 0;
    for (uint32_t first = 0; first < shapes.k_tiles; first += shapes.k_block) {
        const uint32_t count = smaller(shapes.k_block, shapes.k_tiles - first);
        cb_reserve_back(cb_weights, shapes.weight_pages);
        read_weights(weights, shapes, row.expert * shapes.n_tiles + column, first, count, columns);
        cb_push_back(cb_weights, shapes.weight_pages);
        if (scales.form == WeightForm::Mxfp4) {
            scales.micro.push(first / 2, count / 2, column, columns);
        } else if (scales.form == WeightForm::Nvfp4) {
            scales.e4m3.push(first / 2, count / 2, column, columns);
        }
        const uint32_t fed = first + count;
        while (shapes.is_in_blocks && scaled * shapes.block_tiles < fed &&
               smaller((scaled + 1) * shapes.block_tiles, shapes.k_tiles) <= fed) {
            scales.push_block(scaled, row, column, columns);
            scaled += 1;
        }
    }
}

// Rows without an expert are zeros in the output, so no weights are read for them.
template <class List>
void announce_zeros(const List& list, uint32_t column, uint32_t columns, const TileRow& row) {
    if (list.writes_zeros()) {
        announce_to_writer(Announced::ZeroUnit, column, columns, row);
    }
}

template <class List, class Rows, class Weights, class Factors, class UnitScales>
void feed_units(const List& list, uint32_t num_tile_rows, const Shapes& shapes, const Rows& rows,
                const Weights& weights, const Factors& factors, const UnitScales& scales) {
    const auto share = CoreShare::read(ReaderTensors::Addresses::kCount);
    const uint32_t num_units = num_tile_rows * shapes.strips();
    const uint32_t first = (uint32_t)((uint64_t)num_units * share.core / share.num_cores);
    const uint32_t end = (uint32_t)((uint64_t)num_units * (share.core + 1) / share.num_cores);

    TileRow row;
    row.clear(kNobody);
    uint32_t held = kNobody;
    for (uint32_t unit = first; unit < end; ++unit) {
        const uint32_t tile_row = unit / shapes.strips();
        const uint32_t column = unit % shapes.strips() * shapes.strip;
        const uint32_t columns = smaller(shapes.strip, shapes.n_tiles - column);
        const bool is_new = tile_row != held;
        if (is_new) {
            held = tile_row;
            list.find(tile_row, row);
        }
        // Counts may leave tile rows of a batch without rows.
        if (!row.has_rows) {
            continue;
        }
        if (row.expert == kNobody) {
            announce_zeros(list, column, columns, row);
            continue;
        }
        announce_to_compute(Announced::Unit, columns, is_new ? 1 : 0);
        announce_to_writer(Announced::Unit, column, columns, row);
        if (is_new) {
            gather_rows(rows, shapes, row);
            if (factors.are_there()) {
                push_scales(factors, row);
            }
            if (shapes.is_in_blocks) {
                scales.blocks.hold_rows(row.sources);
            }
        }
        if (shapes.is_in_blocks) {
            scales.hold_columns(row.expert, column, columns);
        }
        feed_weights(weights, shapes, scales, row, column, columns);
        if (scales.args.has_bias != 0) {
            scales.push_bias(row.expert, column, columns);
        }
    }
    announce_to_compute(Announced::End, 0, 0);
    announce_to_writer(Announced::End, 0, 0, row);
}

Shapes shapes_of(const ReaderArgs& args) {
    const bool is_packed = static_cast<WeightForm>(args.weight_form) != WeightForm::Numbers;
    return {
        .row_bytes = args.row_bytes,
        .k_tiles = args.k_tiles,
        .n_tiles = args.n_tiles,
        .strip = args.strip,
        .k_block = args.k_block,
        .k_chunk = args.k_chunk,
        .weight_bytes = is_packed ? kByteTile : static_cast<uint32_t>(get_tile_size(cb_weights)),
        .weight_tiles = is_packed ? 2u : 1u,
        .weight_pages =
            is_packed ? word_tiles(args.k_block, args.strip) : args.k_block * args.strip,
        .element_bytes = args.element_bytes,
        .block_tiles = args.block_tiles,
        .is_in_blocks = args.is_in_blocks != 0};
}

template <class Rows, class Experts, class Factors>
BlockScales<Rows, Experts, Factors> block_scales(const Rows& rows, const Experts& experts,
                                                 const Factors& factors, const ReaderArgs& args) {
    const bool is_micro = is_e2m1(static_cast<WeightForm>(args.weight_form));
    return {.rows = rows,
            .experts = experts,
            .factors = factors,
            .row_form = static_cast<RowForm>(args.row_form),
            .has_weights = args.has_weight_scales != 0 && !is_micro,
            .args = args};
}

// Factors of rows at the end; with scales in blocks these are routing weights only.
template <class Weights, class Rows, class Experts>
Scales<Weights, Rows, Experts> row_factors(const Weights& weights, const Rows& rows,
                                           const Experts& experts, const ReaderArgs& args) {
    const bool is_in_blocks = args.is_in_blocks != 0;
    return {.weights = weights,
            .top_k = args.scales_top_k,
            .rows = rows,
            .experts = experts,
            .scales_in_a_page = args.scales_in_a_page != 0,
            .num_experts = args.num_experts,
            .row_form = is_in_blocks ? RowForm::None : static_cast<RowForm>(args.row_form),
            .has_weights = args.has_weight_scales != 0 && !is_in_blocks};
}

// Pushes what the weights of all units need: sorters of packed codes, middle zero points, magnitudes.
template <class Zeros, class Micro, class E4m3>
void push_constants(const Zeros& zeros, const Micro& micro, const E4m3& e4m3,
                    const ReaderArgs& args) {
    const auto form = static_cast<WeightForm>(args.weight_form);
    const uint32_t exponents = kExponentBuffers * args.k_block / 2 * args.strip;
    if (form != WeightForm::Numbers) {
        push_sorters(form == WeightForm::Nvfp4);
    }
    if (form == WeightForm::Nvfp4) {
        e4m3.fill_zeros(exponents);
    }
    if (form == WeightForm::UInt4 && args.has_zero_points == 0) {
        zeros.fill_middles(kZeroPointBuffers * args.strip);
    }
    if (form == WeightForm::Mxfp4) {
        micro.fill_magnitudes(exponents);
    }
}

}  // namespace

void kernel_main() {
    const auto args = ReaderArgs::read();
    const Shapes shapes = shapes_of(args);
    const auto row_scales =
        TensorAccessor(ReaderTensors::row_scales(), ReaderTensors::row_scales_address());
    const auto expert_scales =
        TensorAccessor(ReaderTensors::expert_scales(), ReaderTensors::expert_scales_address());
    const auto rows = TensorAccessor(ReaderTensors::rows(), ReaderTensors::rows_address());
    const auto weights = TensorAccessor(ReaderTensors::weights(), ReaderTensors::weights_address(),
                                        shapes.weight_bytes);
    const auto ids = TensorAccessor(ReaderTensors::ids(), ReaderTensors::ids_address());
    const auto experts = TensorAccessor(ReaderTensors::experts(), ReaderTensors::experts_address());
    const auto end =
        TensorAccessor(ReaderTensors::num_listed(), ReaderTensors::num_listed_address());
    const auto topk_weights =
        TensorAccessor(ReaderTensors::topk_weights(), ReaderTensors::topk_weights_address());
    const auto factors = row_factors(topk_weights, row_scales, expert_scales, args);
    const auto expert_factors =
        TensorAccessor(ReaderTensors::factors(), ReaderTensors::factors_address());
    const auto blocks = block_scales(row_scales, expert_scales, expert_factors, args);
    const auto zero_points =
        TensorAccessor(ReaderTensors::zero_points(), ReaderTensors::zero_points_address());
    const auto bias = TensorAccessor(ReaderTensors::bias(), ReaderTensors::bias_address());
    const ZeroPoints<decltype(zero_points)> zeros{{zero_points, args, cb_held_zero_points}};
    const MicroScales<decltype(expert_scales)> micro{{expert_scales, args, cb_held_columns}};
    const E4m3Scales<decltype(expert_scales)> e4m3{{expert_scales, args, cb_held_columns}};
    const WeightScales<decltype(blocks), decltype(zeros), decltype(micro), decltype(e4m3),
                       decltype(bias)>
        scales{blocks, zeros, micro, e4m3, bias, args, static_cast<WeightForm>(args.weight_form)};

    push_constants(zeros, micro, e4m3, args);
    fill_words(words_at(get_write_ptr(cb_zeros)), shapes.chunk_bytes() / 4, 0);
    if (args.is_batched != 0) {
        const BatchList list = batch_list(ids, args);
        feed_units(list, list.num_tile_rows(), shapes, rows, weights, factors, scales);
        return;
    }
    const auto list = block_list(ids, experts, args);
    feed_units(list, listed_tile_rows(list, end), shapes, rows, weights, factors, scales);
}
