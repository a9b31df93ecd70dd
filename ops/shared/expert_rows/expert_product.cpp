// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/expert_product.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/kernels/product_args.hpp"
#include "ops/shared/expert_rows/near_banks.hpp"
#include "ops/shared/expert_rows/product_buffers.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

/// Returns whether rows are multiplied with one number each at the end.
bool is_weighted(const ExpertProduct& product, const ScaleShape& scales) {
    return product.topk_weights != nullptr ||
           (!scales.is_in_blocks() && (scales.has_row_scales || scales.has_weight_scales));
}

row_products::CountsForm counts_form(const ExpertProduct& product) {
    return product.counts == nullptr              ? row_products::CountsForm::None
           : is_paged(product.counts->spec.shape) ? row_products::CountsForm::PageEach
                                                  : row_products::CountsForm::OnePage;
}

void set_list_args(row_products::ReaderArgs& args, const ExpertProduct& product) {
    args.block_size = product.block_size;
    args.reads_by_choice = product.reads_by_choice ? 1 : 0;
    args.writes_by_choice = product.writes_by_choice ? 1 : 0;
    args.top_k = product.top_k;
    args.num_choices = product.num_choices;
    if (!product.is_batched()) {
        args.num_entries = product.sorted_ids->spec.shape.back();
        args.num_blocks = product.expert_ids->spec.shape.back();
    }
    if (product.topk_weights != nullptr) {
        args.scales_top_k = row_length(product.topk_weights->spec.shape);
    }
}

void set_scale_args(row_products::ReaderArgs& args, const ScaleShape& scales) {
    const row_products::RowForm rows = !scales.has_row_scales ? row_products::RowForm::None
                                       : scales.is_one_row    ? row_products::RowForm::OneRow
                                                              : row_products::RowForm::EachRow;
    args.row_form = index_of(rows);
    args.has_weight_scales = scales.has_weight_scales ? 1 : 0;
    args.is_in_blocks = scales.is_in_blocks() ? 1 : 0;
    args.n_each = scales.n_each;
    args.n_scales = scales.n_scales;
    args.weight_blocks = scales.weight_blocks;
    args.row_blocks = scales.row_blocks;
    args.scale_tiles = scale_tiles(scales, args.k_tiles);
    args.scale_bytes = element_bytes(scales.format);
    args.scales_in_a_page = scales.is_one_page ? 1 : 0;
    args.has_zero_points = scales.has_zero_points ? 1 : 0;
    args.has_factors = scales.has_factors ? 1 : 0;
    args.has_bias = scales.has_bias ? 1 : 0;
    args.weight_form = index_of(scales.form);
}

/// Sets the arguments of blocks that start at the first row of each part. Other scales take all of
/// N as one part.
void set_part_args(row_products::ReaderArgs& args, const ScaleShape& scales, std::uint32_t parts) {
    const bool are_apart = parts > 1 && scales.n_scales % parts == 0 && scales.n_each > 1;
    args.n_parts = are_apart ? parts : 1;
    args.part_columns = args.columns / args.n_parts;
    args.part_scales = scales.n_scales / args.n_parts;
}

row_products::ReaderArgs reader_args(const ExpertProduct& product, const ProductTiles& tiles,
                                     const ProductSchedule& schedule, std::uint32_t sums,
                                     bool chooses_height) {
    row_products::ReaderArgs args = product_reader_args(product);
    args.strip = schedule.strip;
    args.k_block = schedule.k_block;
    args.k_chunk = schedule.k_chunk;
    args.run_height = schedule.tile_rows;
    args.sums = sums;
    args.chooses_height = chooses_height ? 1 : 0;
    args.block_tiles = block_tiles(scales_of(product), tiles.k, schedule);
    return args;
}

void add_reader(Program& program, const SharedWork& work, const ExpertProduct& product,
                const ProductTiles& tiles, const ProductSchedule& schedule, std::uint32_t sums,
                bool chooses_height) {
    const row_products::ReaderTensors tensors = product_reader_tensors(product);
    const KernelHandle reader = CreateKernel(
        program, "ops/shared/expert_rows/kernels/product_reader.cpp", work.cores,
        reader_config(reader_args(product, tiles, schedule, sums, chooses_height), tensors));
    const auto num_cores = static_cast<std::uint32_t>(work.shares.size());
    for (std::uint32_t core = 0; core < num_cores; ++core) {
        set_args(program, reader, work.shares[core].core, addresses_of(tensors),
                 row_products::CoreShare{.core = core, .num_cores = num_cores});
    }
}

row_products::ComputeArgs compute_args(const ProductTiles& tiles, bool is_scaled,
                                       const ScaleShape& scales, const ProductSchedule& schedule,
                                       std::uint32_t sums) {
    return {.k_tiles = tiles.k,
            .strip = schedule.strip,
            .k_block = schedule.k_block,
            .k_chunk = schedule.k_chunk,
            .run_height = schedule.tile_rows,
            .sums = sums,
            .chunks = tiles.chunks,
            .is_scaled = is_scaled ? 1U : 0U,
            .is_in_blocks = scales.is_in_blocks() ? 1U : 0U,
            .block_tiles = block_tiles(scales, tiles.k, schedule),
            .has_column_scales = scales.scales_columns() ? 1U : 0U,
            .has_row_scales = scales.scales_rows() ? 1U : 0U,
            .has_bias = scales.has_bias ? 1U : 0U,
            .weight_form = index_of(scales.form)};
}

void add_compute(Program& program, const SharedWork& work, const ExpertProduct& product,
                 const ProductTiles& tiles, const ProductSchedule& schedule, const DstSums& sums) {
    using row_products::Cb;
    const ScaleShape scales = scales_of(product);
    ComputeConfig config;
    config.math_fidelity = schedule.math_fidelity;
    config.fp32_dest_acc_en = true;
    config.dst_full_sync_en = sums.takes_all;
    config.named_compile_args =
        named(compute_args(tiles, is_weighted(product, scales), scales, schedule, sums.tiles));
    // Scales of K blocks and their sums keep all bits of fp32; through a source register they would
    // lose 13.
    if (scales.is_in_blocks()) {
        config.unpack_to_dest_mode.assign(index_of(Cb::Sums) + 1U, UnpackToDestMode::Default);
        for (const Cb cb : {Cb::RowScales, Cb::ColumnScales, Cb::Sums}) {
            config.unpack_to_dest_mode[index_of(cb)] = UnpackToDestMode::UnpackToDestFp32;
        }
    }
    if (scales.is_packed()) {
        config.unpack_to_dest_mode[index_of(Cb::Weights)] = UnpackToDestMode::UnpackToDestFp32;
    }
    CreateKernel(program, "ops/shared/expert_rows/kernels/product_compute.cpp", work.cores, config);
}

void add_writer(Program& program, const SharedWork& work, const ExpertProduct& product,
                const ProductSchedule& schedule) {
    const row_products::WriterArgs args{.strip = schedule.strip,
                                        .run_height = schedule.tile_rows,
                                        .row_bytes = 2 * row_length(product.output.spec.shape)};
    const row_products::WriterTensors tensors{.output = &product.output.buffer};
    const KernelHandle writer =
        CreateKernel(program, "ops/shared/expert_rows/kernels/product_writer.cpp", work.cores,
                     writer_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core, addresses_of(tensors));
    }
}

/// Returns the most tile rows that a list or counts may hold.
std::uint32_t most_tile_rows(const ExpertProduct& product) {
    if (product.is_batched()) {
        const std::uint32_t experts = product.weights.spec.shape[0];
        // Counts are on the device, so the host assumes full batches.
        const std::uint32_t rows = num_rows(product.rows.spec.shape) / experts;
        return experts * div_up(rows, kTileRows);
    }
    return product.expert_ids->spec.shape[0] * div_up(product.block_size, kTileRows);
}

/// Returns the rows of an expert on average: as the caller expects them, or as operands show.
std::uint32_t rows_each(std::uint32_t of_operands, const ProductSchedule& schedule) {
    return schedule.expected_rows == 0 ? of_operands : schedule.expected_rows;
}

/// Returns the schedule with the tile rows that share a read of weights: as many as an expert has
/// on average, and as DST and L1 have room for.
ProductSchedule with_tile_rows(const ArchSpec& arch, const NearOperands& operands,
                               const ScaleShape& scales, bool is_weighted, std::uint32_t num_blocks,
                               ProductSchedule schedule) {
    if (!scales.is_plain()) {
        schedule.tile_rows = 1;
        return schedule;
    }
    if (schedule.tile_rows == 0) {
        // Popular experts have several times the average, and the device takes fewer if that is
        // faster; all of DST is for experts that have so many rows on average.
        constexpr std::uint32_t kPopular = 4;
        const std::uint32_t half = sums_in_dst(arch, scales, is_weighted).tiles;
        const std::uint32_t average = div_up(operands.rows_each, kTileRows);
        const std::uint32_t popular = div_up(kPopular * operands.rows_each, kTileRows);
        schedule.tile_rows =
            std::clamp(std::max(average, std::min(popular, half)), 1U, row_products::kMostTileRows);
    }
    schedule.tile_rows = std::min(schedule.tile_rows,
                                  sums_in_dst(arch, scales, is_weighted, schedule.tile_rows).tiles);
    const std::uint32_t k_tiles = inner_tiles(operands.weights.shape, scales);
    while (schedule.tile_rows > 1 &&
           product_buffer_bytes(arch, k_tiles, operands.weights.format, scales, schedule,
                                num_blocks) > buffer_room(arch)) {
        schedule.tile_rows -= 1;
    }
    return schedule;
}

}  // namespace

row_products::ReaderArgs product_reader_args(const ExpertProduct& product) {
    const Shape& weights = product.weights.spec.shape;
    const std::uint32_t element = element_bytes(product.rows.spec.format);
    const ScaleShape scales = scales_of(product);
    row_products::ReaderArgs args{.is_batched = product.is_batched() ? 1U : 0U,
                                  .row_bytes = element * row_length(product.rows.spec.shape),
                                  .k_tiles = inner_tiles(weights, scales),
                                  .n_tiles = div_up(weights[1], kTileColumns),
                                  .element_bytes = element,
                                  .batch_rows = num_rows(product.rows.spec.shape) / weights[0],
                                  .num_experts = weights[0],
                                  .counts_form = index_of(counts_form(product))};
    args.columns = weights[1];
    set_list_args(args, product);
    set_scale_args(args, scales);
    set_part_args(args, scales, product.parts);
    return args;
}

row_products::ReaderTensors product_reader_tensors(const ExpertProduct& product) {
    const auto buffer_of = [](const DeviceTensor* tensor) {
        return tensor == nullptr ? nullptr : &tensor->buffer;
    };
    return {.rows = &product.rows.buffer,
            .weights = &product.weights.buffer,
            .ids = buffer_of(product.is_batched() ? product.counts : product.sorted_ids),
            .experts = buffer_of(product.expert_ids),
            .num_listed = buffer_of(product.num_listed),
            .topk_weights = buffer_of(product.topk_weights),
            .row_scales = buffer_of(product.row_scales),
            .expert_scales = buffer_of(product.expert_scales),
            .zero_points = buffer_of(product.zero_points),
            .bias = buffer_of(product.bias),
            .factors = buffer_of(product.expert_factors)};
}

Program expert_product(std::string_view op, const ArchSpec& arch, const ExpertProduct& product,
                       const ProductSchedule& schedule) {
    const Shape& weights = product.weights.spec.shape;
    const ScaleShape scales = scales_of(product);
    const std::uint32_t rows =
        product.is_batched() ? num_rows(product.rows.spec.shape) : product.num_choices;
    const NearOperands near_operands{product.rows.spec, product.weights.spec, scales.is_plain(),
                                     rows_each(rows / weights[0], schedule),
                                     most_tile_rows(product)};
    if (const auto near = near_banks_of(arch, near_operands, schedule)) {
        return near_banks_program(arch, product, *near, schedule.math_fidelity);
    }
    const std::uint32_t num_blocks =
        product.is_batched() ? 0 : product.expert_ids->spec.shape.back();
    const bool has_weights = is_weighted(product, scales);
    const ProductSchedule shared =
        with_tile_rows(arch, near_operands, scales, has_weights, num_blocks, schedule);
    const DstSums sums = sums_in_dst(arch, scales, has_weights, shared.tile_rows);
    const ProductTiles tiles = tiles_of(inner_tiles(weights, scales), weights[1], shared);
    const SharedWork work =
        share_work(op, arch, shared.grid, most_tile_rows(product) * tiles.strips);
    Program program = CreateProgram();
    add_product_buffers(program, work.cores, product, tiles, shared, dram_alignment(arch));
    add_reader(program, work, product, tiles, shared, sums.tiles, schedule.tile_rows == 0);
    add_compute(program, work, product, tiles, shared, sums);
    add_writer(program, work, product, shared);
    return program;
}

std::string product_schedule_words(const ArchSpec& arch, const ScaledOperands& operands,
                                   std::uint32_t rows, const ProductSchedule& schedule) {
    const TensorSpec& weights = operands.weights.spec;
    const NearOperands near{operands.rows.spec, weights, scale_shape(operands).is_plain(),
                            rows_each(rows / weights.shape[0], schedule)};
    return near_banks_of(arch, near, schedule) ? "near_banks" : "multi_core";
}

}  // namespace tessera::ops
