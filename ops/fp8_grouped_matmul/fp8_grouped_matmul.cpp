// SPDX-License-Identifier: Apache-2.0
#include "ops/fp8_grouped_matmul/fp8_grouped_matmul.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/fp8_grouped_matmul/kernels/args.hpp"
#include "ops/moe_permutation/moe_permutation.hpp"
#include "ops/shared/bank_nocs.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/placement.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::fp8_grouped_matmul {
namespace {

using config::field;
using config::Limits;
using fp8::kBlock;

constexpr std::uint32_t kBlockTiles = kBlock / kTileColumns;
constexpr std::uint32_t kCodeTile = tile_bytes(DataFormat::Fp8_e4m3);
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);
constexpr std::uint32_t kWordPage = 32;
constexpr std::uint32_t kScalePageRoom =
    64 * 1024;  // for pages of scales that rows are picked from

// Experts and ends of rows of CTAs; the reader also has groups of CTAs, the writer has them in
// place of the experts.
constexpr std::uint32_t kReaderTables = 3;
constexpr std::uint32_t kWriterTables = 2;

constexpr std::array kFields{
    field<&GroupedMatmulSpec::tile>("tile", "8", "tokens of a CTA, as in moe_permutation",
                                    Limits{1, 65536}),
    field<&GroupedMatmulSpec::output>(
        "output", "fp8_e4m3", "fp8_e4m3 with a scale for each 128 columns, bfloat16 or float32"),
    field<&GroupedMatmulSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&GroupedMatmulSpec::join_ctas>(
        "join_ctas", "true",
        "CTAs of an expert whose rows fit in a tile of 32 share a unit, so that weights are read "
        "once for them; false: a CTA is a unit"),
    field<&GroupedMatmulSpec::both_nocs>(
        "both_nocs", "true",
        "without a grid the writer reads the weights of some banks over NoC 1, so that links are "
        "equally full; false: the reader reads all"),
    field<&GroupedMatmulSpec::weight_shards>(
        "weight_shards", "true",
        "weights for which a run states no memory, and which no step makes nor another op reads, "
        "lie "
        "in shards of 128 rows of N and 32 columns of K, which go round the banks of DRAM, so that "
        "one read brings four tiles; false: tiles go round the banks. The first step that reads "
        "weights decides"),
    field<&GroupedMatmulSpec::row_chunk>(
        "row_chunk", "8", "blocks of 128 of K that a push of token rows brings", kTileCount),
    field<&GroupedMatmulSpec::k_push>(
        "k_push", "1", "blocks of 128 of K that a push of weights brings", kTileCount),
    field<&GroupedMatmulSpec::cb_depth>("cb_depth", "2", "pushes that a CB holds", kDepth),
};

/// Extents in blocks, for which the kernels are compiled.
struct Blocks {
    std::uint32_t k_blocks;
    std::uint32_t n_blocks;
    std::uint32_t tile;
    std::uint32_t group;  // CTAs of a unit, at most
    std::uint32_t row_tiles;
    std::uint32_t chunk;
    std::uint32_t k_push;
    std::uint32_t scale_row_bytes;
    std::uint32_t scale_page_stride;
    std::uint32_t scale_pages;
    std::uint32_t table_bytes;
    std::uint32_t table_stride;  // a group list has one entry more than a table
    std::uint32_t banks;
    bool gathers;
    bool quantises;
    bool has_shards;  // of weights
};

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

/// Returns weights in shards of the tiles of a block and one K step.
TensorPlan in_weight_shards(const OpContext& context) {
    return in_dram_shards(context.arch, context.inputs["weights"_in], kBlockTiles, 1);
}

/// Blocks need not be whole here: rules refuse them afterwards.
std::vector<TensorPlan> place_inputs(const OpContext& context) {
    std::vector<TensorPlan> plans(context.inputs.begin(), context.inputs.end());
    if (context.params<GroupedMatmulSpec>().weight_shards) {
        plans["weights"_in] = in_weight_shards(context);
    }
    return plans;
}

std::string schedule_words(const OpContext& context) {
    std::string words(kSchedules.front());
    return context.inputs["weights"_in].shard ? words + ", weights in shards" : words;
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

void judge_blocks(const OpContext& context, RuleJudge& judge) {
    const Shape& weights = context.inputs["weights"_in].spec.shape;
    // Scales apply to whole blocks. Partial blocks would need a mask in the kernel, and models have
    // none.
    judge.require(weights[2] % kBlock == 0, "weights",
                  fmt::format("have K = {}, which blocks of {} do not divide", weights[2], kBlock));
    judge.require(weights[1] % kBlock == 0, "weights",
                  fmt::format("have N = {}, which blocks of {} do not divide", weights[1], kBlock));
    const TensorPlan& placed = context.inputs["weights"_in];
    judge.require(!placed.shard || lies_as(placed, in_weight_shards(context)), "weights",
                  fmt::format("are in other shards than those of {} x {} that go round the banks "
                              "of DRAM; allowed: no memory stated, or interleaved",
                              kBlock, kTileColumns));
    judge.require(
        !placed.shard || context.params<GroupedMatmulSpec>().weight_shards, "weight_shards",
        "is false, but an earlier step that reads these weights has placed them in shards; "
        "allowed: one value in all steps that read them, or memory: dram of the tensor");
}

void judge_rows(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    const auto& tiles = moe_permutation::kTokenTiles;
    judge.require(std::ranges::find(tiles, spec.tile) != tiles.end(), "tile",
                  fmt::format("is {}; allowed: {}", spec.tile, fmt::join(tiles, ", ")));
    const bool gathers = context.has("permuted_idx_to_token_idx"_in);
    const std::size_t listed = gathers ? "permuted_idx_to_token_idx"_in : "activations"_in;
    const std::uint32_t rows = context.inputs[listed].spec.shape[0];
    const std::uint32_t ctas = context.inputs["cta_idx_xy_to_batch_idx"_in].spec.shape[0];
    // Rows of the output are those of the CTAs, as moe_permutation lays them out.
    judge.require(rows == ctas * spec.tile, kInputs[listed].name,
                  fmt::format("have {} rows; {} CTAs of tile {} have {}", rows, ctas, spec.tile,
                              ctas * spec.tile));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge_blocks(context, judge);
    judge_rows(context, judge);
    const bool is_format = spec.output == DataFormat::Fp8_e4m3 ||
                           spec.output == DataFormat::Float16_b ||
                           spec.output == DataFormat::Float32;
    judge.require(
        is_format, "output",
        fmt::format("is {}; allowed: fp8_e4m3, bfloat16 or float32", name_of(spec.output)));
    judge.require(spec.row_chunk > 0, "row_chunk", "is 0; allowed: at least 1");
    judge.require(spec.k_push > 0, "k_push", "is 0; allowed: at least 1");
    const bool has_scale = context.outputs.size() > 1;
    judge.require(has_scale == (spec.output == DataFormat::Fp8_e4m3), "output_scale",
                  has_scale ? fmt::format("is given; allowed with {}: none", name_of(spec.output))
                            : "is missing; required with codes");
    // The room cannot be judged for a format without tile size.
    if (!is_format) {
        return;
    }
    const std::uint64_t bytes = bytes_of(buffers_of(blocks_of(context), spec));
    judge.require(
        bytes <= buffer_room(context.arch), "tile",
        fmt::format("{} with K = {}, row_chunk {}, k_push {} and cb_depth {} takes {} B "
                    "of circular buffers; a core has {} B of L1 for them",
                    spec.tile, context.inputs["activations"_in].spec.shape[1], spec.row_chunk,
                    spec.k_push, spec.cb_depth, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    const std::uint32_t rows =
        context.inputs["cta_idx_xy_to_batch_idx"_in].spec.shape[0] * spec.tile;
    const std::uint32_t columns = context.inputs["weights"_in].spec.shape[1];
    std::vector<TensorPlan> plans{{.spec = {{rows, columns}, spec.output, Layout::ROW_MAJOR}}};
    if (spec.output == DataFormat::Fp8_e4m3) {
        // Scales are transposed: a row of the tensor is one block of columns of all rows, as the
        // published runner has them.
        plans.push_back(
            {.spec = {
                 {std::max(columns / kBlock, 1U), rows}, DataFormat::Float32, Layout::ROW_MAJOR}});
    }
    return plans;
}

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

std::vector<HostTensor> reference_of_step(const ReferenceContext& context) {
    Product product = reference(context);
    // Codes have a second output, their scales.
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(product.output));
    if (!product.scale.bytes.empty()) {
        outputs.push_back(std::move(product.scale));
    }
    return outputs;
}

std::vector<std::vector<ElementRange>> valid(const ReferenceContext& context) {
    // Rows after a CTA's limit mean nothing and are not compared.
    const HostTensor batch = context.read("cta_idx_xy_to_batch_idx"_in);
    const HostTensor limits = context.read("cta_idx_xy_to_mn_limit"_in);
    const HostTensor live = context.read("num_non_exiting_ctas"_in);
    const Shape& shape = context.outputs["output"_out].spec.shape;
    const auto ctas =
        fp8::ctas_of(batch.as<std::int32_t>(), limits.as<std::int32_t>(),
                     live.as<std::int32_t>()[0], context.params<GroupedMatmulSpec>().tile);
    return {fp8::rows_that_count(ctas, shape[1]),
            fp8::scales_that_count(ctas, shape[1] / kBlock, shape[0])};
}

void check_values(const ReferenceContext& context) {
    const std::uint32_t tile = context.params<GroupedMatmulSpec>().tile;
    const fp8::CtaTables tables{named_table(kInputs, context, "num_non_exiting_ctas"_in),
                                named_table(kInputs, context, "cta_idx_xy_to_mn_limit"_in)};
    fp8::check_ctas(kSpec.name, tables, tile);
    const auto ctas = static_cast<std::uint32_t>(tables.live.values.as<std::int32_t>()[0]);
    check_indices(kSpec.name, named_table(kInputs, context, "cta_idx_xy_to_batch_idx"_in),
                  context.in("weights"_in).shape()[0], Nobody::Forbidden, ctas);
    if (!context.has("permuted_idx_to_token_idx"_in)) {
        return;
    }
    const NamedTable tokens = named_table(kInputs, context, "permuted_idx_to_token_idx"_in);
    for (std::size_t cta = 0; cta < ctas; ++cta) {
        check_entries(kSpec.name, tokens, context.in("activations"_in).shape()[0],
                      Nobody::Forbidden, cta * tile,
                      static_cast<std::size_t>(tables.limits.values.as<std::int32_t>()[cta]));
    }
}

LeastWork bound(const BoundContext& context) {
    const auto live =
        static_cast<std::size_t>(std::max(context.integers("num_non_exiting_ctas"_in).at(0), 0));
    // Weights are operand 2 and rows may be gathered, so that only outputs and weights are sure.
    std::vector<std::int32_t> experts = context.integers("cta_idx_xy_to_batch_idx"_in);
    experts.resize(std::min(experts.size(), live));
    const std::set<std::int32_t> busy(experts.begin(), experts.end());
    const TensorSpec& weights = context.in("weights"_in);
    const double matrix = double{1} * weights.shape[1] * weights.shape[2];
    LeastWork work;
    work.products = weights.shape[2] * valid_elements(context, "output"_out);
    work.dram_bytes =
        bytes_of_elements(valid_elements(context, "output"_out), context.out("output"_out).format) +
        bytes_of_elements(static_cast<double>(busy.size()) * matrix, weights.format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<GroupedMatmulSpec>(kFields),
        .schedule = schedule_words,
        .rules = rules,
        .place_inputs = place_inputs,
        .infer = infer,
        .programs = on_each(make_program),
        .bound = bound,
        .reference = reference_of_step,
        .valid = valid,
        .check_values = check_values,
        .checked_inputs = {"cta_idx_xy_to_batch_idx"_in, "cta_idx_xy_to_mn_limit"_in,
                           "num_non_exiting_ctas"_in, "permuted_idx_to_token_idx"_in}};
    return kOp;
}

}  // namespace tessera::ops::fp8_grouped_matmul
