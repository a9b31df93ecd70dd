// SPDX-License-Identifier: Apache-2.0
#include "ops/fp8_grouped_matmul/program.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/fp8_grouped_matmul/kernels/args.hpp"
#include "ops/shared/bank_nocs.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::fp8_grouped_matmul {
namespace {

using fp8::kBlock;

constexpr std::uint32_t kCodeTile = tile_bytes(DataFormat::Fp8_e4m3);
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);
constexpr std::uint32_t kWordPage = 32;
constexpr std::uint32_t kScalePageRoom =
    64 * 1024;  // for pages of scales that rows are picked from

// Experts and ends of rows of CTAs; the reader also has groups of CTAs, the writer has them in
// place of the experts.
constexpr std::uint32_t kReaderTables = 3;
constexpr std::uint32_t kWriterTables = 2;

ReaderArgs reader_args(const Blocks& blocks) {
    return {.k_blocks = blocks.k_blocks,
            .n_blocks = blocks.n_blocks,
            .tile = blocks.tile,
            .group = blocks.group,
            .row_tiles = blocks.row_tiles,
            .chunk = blocks.chunk,
            .k_push = blocks.k_push,
            .gathers = blocks.gathers ? 1U : 0U,
            .scale_row_bytes = blocks.scale_row_bytes,
            .scale_page_stride = blocks.scale_page_stride,
            .scale_pages = blocks.scale_pages,
            .table_bytes = blocks.table_bytes,
            .table_stride = blocks.table_stride,
            .banks = blocks.banks,
            .bank_step = blocks.k_blocks * kBlockTiles % blocks.banks,
            .has_shards = blocks.has_shards ? 1U : 0U};
}

WriterArgs writer_args(const Blocks& blocks, const GroupedMatmulSpec& spec) {
    return {.k_blocks = blocks.k_blocks,
            .k_push = blocks.k_push,
            .n_blocks = blocks.n_blocks,
            .tile = blocks.tile,
            .group = blocks.group,
            .row_tiles = blocks.row_tiles,
            .element_bytes = element_bytes(spec.output),
            .quantises = blocks.quantises ? 1U : 0U,
            .table_bytes = blocks.table_bytes,
            .table_stride = blocks.table_stride,
            .banks = blocks.banks,
            .bank_step = blocks.k_blocks * kBlockTiles % blocks.banks,
            .has_shards = blocks.has_shards ? 1U : 0U};
}

/// Sums are fp32 on their whole way. LoFi multiplies 5 bits by 7, which are all bits of two codes
/// of 4.
ComputeConfig compute_config(const Blocks& blocks) {
    ComputeConfig config{.math_fidelity = MathFidelity::LoFi, .fp32_dest_acc_en = true};
    config.named_compile_args = named(ComputeArgs{.k_blocks = blocks.k_blocks,
                                                  .row_tiles = blocks.row_tiles,
                                                  .chunk = blocks.chunk,
                                                  .k_push = blocks.k_push,
                                                  .quantises = blocks.quantises ? 1U : 0U});
    config.unpack_to_dest_mode.assign(index_of(Cb::Scale) + 1U, UnpackToDestMode::Default);
    for (const Cb cb : {Cb::RowScales, Cb::Sums, Cb::Scale}) {
        config.unpack_to_dest_mode[index_of(cb)] = UnpackToDestMode::UnpackToDestFp32;
    }
    return config;
}

/// Returns the banks that each core reads over NoC 1. A step with a stated grid may be moved to cores
/// for which other banks would be the right ones.
std::vector<std::uint32_t> writer_banks(const OpContext& context, CoreCoord grid) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    const bool is_shared = spec.both_nocs && may_choose_sharing(spec.grid);
    return is_shared ? banks_over_noc1(context.arch)
                     : std::vector<std::uint32_t>(std::size_t{grid.x} * grid.y);
}

ReaderTensors read_tensors(const OpContext& context, const Blocks& blocks, std::size_t position) {
    const auto in = [&](std::size_t i) { return &context.device_inputs[i][position].buffer; };
    return {.activations = in("activations"_in),
            .row_scales = in("activation_scale"_in),
            .weight_scales = in("weight_scale"_in),
            .batch = in("cta_idx_xy_to_batch_idx"_in),
            .limit = in("cta_idx_xy_to_mn_limit"_in),
            .num_ctas = in("num_non_exiting_ctas"_in),
            .tokens = blocks.gathers ? in("permuted_idx_to_token_idx"_in) : nullptr,
            .weights = in("weights"_in)};
}

}  // namespace

Blocks blocks_of(const OpContext& context) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    const Shape& activations = context.inputs["activations"_in].spec.shape;
    const std::uint32_t k_blocks = activations[1] / kBlock;
    const std::uint32_t row_bytes = activations[0] * 4;
    const std::uint32_t stride = fp8::aligned(row_bytes);
    // A chunk or push longer than K is shortened to K. As many pages of scales are read at once as
    // fit. With a table of tokens the product reads rows at their original positions, which saves a
    // gather.
    return {.k_blocks = k_blocks,
            .n_blocks = context.inputs["weights"_in].spec.shape[1] / kBlock,
            .tile = spec.tile,
            .group = spec.join_ctas ? std::max(kTileRows / std::max(spec.tile, 1U), 1U) : 1,
            .row_tiles = div_up(spec.tile, kTileRows),
            .chunk = std::min(spec.row_chunk, k_blocks),
            .k_push = std::min(spec.k_push, k_blocks),
            .scale_row_bytes = row_bytes,
            .scale_page_stride = stride,
            .scale_pages = std::clamp(kScalePageRoom / stride, 1U, k_blocks),
            .table_bytes = context.inputs["cta_idx_xy_to_batch_idx"_in].spec.shape[0] * 4,
            .table_stride =
                fp8::aligned((context.inputs["cta_idx_xy_to_batch_idx"_in].spec.shape[0] + 1) * 4),
            .banks = context.arch.dram.num_banks,
            .gathers = context.has("permuted_idx_to_token_idx"_in),
            .quantises = spec.output == DataFormat::Fp8_e4m3,
            .has_shards = context.inputs["weights"_in].shard.has_value()};
}

std::vector<CbPlan> buffers_of(const Blocks& blocks, const GroupedMatmulSpec& spec) {
    const std::uint32_t depth = spec.cb_depth;
    const std::uint32_t rows = blocks.group * blocks.tile;
    const std::uint32_t held = fp8::aligned(blocks.k_blocks * rows * 4);
    std::vector<CbPlan> plans{
        // A group's rows stay tiled for all blocks of columns. A push of weights is a square of 4 x
        // 4 tiles for each block of K.
        {Cb::Rows, DataFormat::Fp8_e4m3, {blocks.chunk * kBlockTiles * depth, kCodeTile}},
        {Cb::In0,
         DataFormat::Fp8_e4m3,
         {blocks.row_tiles * blocks.k_blocks * kBlockTiles, kCodeTile}},
        {Cb::In1,
         DataFormat::Fp8_e4m3,
         {blocks.k_push * kBlockTiles * kBlockTiles * depth, kCodeTile}},
        {Cb::RowScales, DataFormat::Float32, {blocks.row_tiles * depth, kFloatTile}},
        {Cb::WeightScales, DataFormat::Float32, {depth, fp8::aligned(blocks.k_blocks * 4)}},
        {Cb::Sums, DataFormat::Float32, {blocks.row_tiles * kBlockTiles, kFloatTile}},
        {Cb::Units, DataFormat::UInt32, {2, kWordPage}},
        {Cb::Asked, DataFormat::UInt32, {1, kWordPage}},
        {Cb::Tables,
         DataFormat::UInt32,
         {1, kReaderTables * blocks.table_stride + fp8::aligned(rows * 4 + 64)}},
        {Cb::ScalePages, DataFormat::UInt32, {1, blocks.scale_page_stride * blocks.scale_pages}},
        {Cb::HeldScales, DataFormat::UInt32, {1, held}},
        {Cb::WriterTable, DataFormat::UInt32, {1, kWriterTables * blocks.table_stride}},
        {Cb::Output, spec.output, {kBlockTiles * depth, tile_bytes(spec.output)}}};
    // Codes need the largest element of each row before they can be made.
    if (blocks.quantises) {
        plans.push_back({Cb::Largest, DataFormat::Float32, {1, kFloatTile}});
        plans.push_back({Cb::Scale, DataFormat::Float32, {1, kFloatTile}});
        plans.push_back({Cb::ScaleRow, DataFormat::UInt32, {1, kTileRows * 4}});
    }
    return plans;
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    const Blocks blocks = blocks_of(context);
    const auto out = [&](std::size_t i) { return &context.device_outputs[i][position].buffer; };
    const ReaderTensors read = read_tensors(context, blocks, position);
    const WriterTensors written{.batch = read.batch,
                                .limit = read.limit,
                                .num_ctas = read.num_ctas,
                                .output = out("output"_out),
                                .scales = blocks.quantises ? out("output_scale"_out) : nullptr,
                                .weights = read.weights};
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    // All cores of the grid: how many units there are is known on the device only.
    const CoreRangeSet cores{CoreRange{{0, 0}, {grid.x - 1, grid.y - 1}}};

    Program program = CreateProgram();
    add_circular_buffers(program, cores, buffers_of(blocks, spec));
    const KernelHandle reader = CreateKernel(program, "ops/fp8_grouped_matmul/kernels/reader.cpp",
                                             cores, reader_config(reader_args(blocks), read));
    CreateKernel(program, "ops/fp8_grouped_matmul/kernels/compute.cpp", cores,
                 compute_config(blocks));
    const KernelHandle writer =
        CreateKernel(program, "ops/fp8_grouped_matmul/kernels/writer.cpp", cores,
                     writer_config(writer_args(blocks, spec), written));
    const std::vector<std::uint32_t> over_noc1 = writer_banks(context, grid);
    for (std::uint32_t y = 0; y < grid.y; ++y) {
        for (std::uint32_t x = 0; x < grid.x; ++x) {
            const fp8::CoreIndex index{.core = y * grid.x + x, .num_cores = grid.x * grid.y};
            const WriterBanks banks{.mask = over_noc1[index.core]};
            set_args(program, reader, CoreCoord{x, y}, index, addresses_of(read), banks);
            set_args(program, writer, CoreCoord{x, y}, index, addresses_of(written), banks);
        }
    }
    return program;
}

}  // namespace tessera::ops::fp8_grouped_matmul
