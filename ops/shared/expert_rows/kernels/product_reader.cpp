// SPDX-License-Identifier: Apache-2.0
// Computes this core's units of work from the list of blocks, or the counts of the batches, in
// device memory. Announces each unit to compute and writer, gathers rows and feeds weights.
#include "expert_runs.hpp"
#include "product_args.hpp"
#include "product_units.hpp"

namespace {

// Rows without an expert are zeros in the output, so no weights are read for them.
template <class List>
void announce_zeros(const List& list, uint32_t column, uint32_t columns, const TileRow& row) {
    if (list.writes_zeros()) {
        announce_to_writer(Announced::ZeroUnit, column, columns, row);
    }
}

// Units of this core.
struct UnitRange {
    uint32_t first;
    uint32_t end;

    static UnitRange of(uint32_t num_units) {
        const auto share = CoreShare::read(ReaderTensors::Addresses::kCount);
        return {(uint32_t)((uint64_t)num_units * share.core / share.num_cores),
                (uint32_t)((uint64_t)num_units * (share.core + 1) / share.num_cores)};
    }
};

// Brings a tile row that the units before did not have.
template <class Rows, class Factors, class UnitScales>
void bring_row(const Rows& rows, const Factors& factors, const UnitScales& scales,
               const Shapes& shapes, const TileRow& row) {
    gather_rows(rows, shapes, row);
    if (factors.are_there()) {
        push_scales(factors, row);
    }
    if (shapes.is_in_blocks) {
        scales.blocks.hold_rows(row.sources);
    }
}

template <class List, class Rows, class Weights, class Factors, class UnitScales>
void feed_units(const List& list, uint32_t num_tile_rows, const Shapes& shapes, const Rows& rows,
                const Weights& weights, const Factors& factors, const UnitScales& scales) {
    const UnitRange range = UnitRange::of(num_tile_rows * shapes.strips());
    TileRow row;
    row.clear(kNobody);
    uint32_t held = kNobody;
    for (uint32_t unit = range.first; unit < range.end; ++unit) {
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
            bring_row(rows, factors, scales, shapes, row);
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

// The tile rows of a run, up to the last one that has rows: blocks end with padding.
struct RunRows {
    TileRow rows[kMostTileRows];
    uint32_t height = 0;

    template <class List>
    void find(const List& list, const Run& run) {
        height = 0;
        for (uint32_t i = 0; i < run.height; ++i) {
            list.find(run.first + i, rows[i]);
            height = rows[i].has_rows ? i + 1 : height;
        }
    }
};

// Brings the rows of a run. One with fewer tile rows than `most_height` pushes unused tiles of
// scales, so that each run has the same number of pages.
template <class Rows, class Factors, class UnitScales>
void bring_run(const Rows& rows, const Factors& factors, const UnitScales& scales,
               const Shapes& shapes, const RunRows& run, uint32_t most_height) {
    for (uint32_t i = 0; i < run.height; ++i) {
        bring_row(rows, factors, scales, shapes, run.rows[i]);
    }
    if (factors.are_there() && run.height != most_height) {
        cb_reserve_back(cb_scales, most_height - run.height);
        cb_push_back(cb_scales, most_height - run.height);
    }
}

void announce_run(const RunRows& run, uint32_t column, uint32_t columns, bool is_new) {
    announce_to_compute(Announced::Unit, columns, is_new ? 1 : 0, run.height);
    for (uint32_t i = 0; i < run.height; ++i) {
        announce_to_writer(Announced::Unit, column, columns, run.rows[i]);
    }
}

// Feeds units whose tile rows share reads of weights, for products without scales in blocks.
template <class List, class Rows, class Weights, class Factors, class UnitScales>
void feed_runs(const List& list, uint32_t num_tile_rows, const Shapes& shapes, const Rows& rows,
               const Weights& weights, const Factors& factors, const UnitScales& scales) {
    const RunUnits units{shapes.n_tiles, shapes.strip, scales.args.sums};
    const auto share = CoreShare::read(ReaderTensors::Addresses::kCount);
    list.hold_experts();
    const RunPlan plan = RunPlan::of(list, units, num_tile_rows, scales.args, share.num_cores);
    const UnitRange range = UnitRange::of(plan.num_units);

    RunRows found;
    RunWalk<List> walk{list, num_tile_rows, plan.most_height};
    for (uint32_t before = 0; before < range.end;) {
        const Run run = walk.step();
        const uint32_t last = smaller(range.end - before, units.number(run));
        const uint32_t start = range.first > before ? smaller(range.first - before, last) : 0;
        if (start < last) {
            found.find(list, run);
        }
        for (uint32_t unit = start; unit < last && found.height != 0; ++unit) {
            const uint32_t column = unit * units.columns(run.height);
            const uint32_t columns = smaller(units.columns(run.height), shapes.n_tiles - column);
            if (run.expert == kNobody) {
                announce_zeros(list, column, columns, found.rows[0]);
                continue;
            }
            announce_run(found, column, columns, unit == start);
            if (unit == start) {
                bring_run(rows, factors, scales, shapes, found, scales.args.run_height);
            }
            feed_weights(weights, shapes, scales, found.rows[0], column, columns);
        }
        before += units.number(run);
    }
    announce_to_compute(Announced::End, 0, 0);
    announce_to_writer(Announced::End, 0, 0, found.rows[0]);
}

// Chooses by the rows that may share a read of weights.
template <class List, class Rows, class Weights, class Factors, class UnitScales>
void feed(const List& list, uint32_t num_tile_rows, const Shapes& shapes, const Rows& rows,
          const Weights& weights, const Factors& factors, const UnitScales& scales) {
    if (scales.args.run_height > 1) {
        feed_runs(list, num_tile_rows, shapes, rows, weights, factors, scales);
    } else {
        feed_units(list, num_tile_rows, shapes, rows, weights, factors, scales);
    }
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
        feed(list, list.num_tile_rows(), shapes, rows, weights, factors, scales);
        return;
    }
    const auto list = block_list(ids, experts, args);
    feed(list, listed_tile_rows(list, end), shapes, rows, weights, factors, scales);
}
