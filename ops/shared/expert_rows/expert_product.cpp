// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/expert_product.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kTileRowBytes = 2 * kTileColumns;  // of bfloat16, the widest rows
// An announcement: what follows, its first column, its columns, and the target of each row.
constexpr std::uint32_t kWriterWords = 3 + kTileRows;

// Circular buffers, as the kernels number them.
enum : std::uint8_t {
    kRowsCb = 0,
    kTilesCb = 1,
    kWeightsCb = 2,
    kScalesCb = 3,
    kComputeUnits = 4,
    kWriterUnits = 5,
    kTables = 6,
    kReaderZeros = 7,
    kWriterZeros = 8,
    kWords = 9,
    kRowScales = 10,
    kColumnScales = 11,
    kSums = 12,
    kHeldRowScales = 13,
    kHeldColumnScales = 14,
    kOut = 16
};

// The kernels have the same numbers (kernels/product_reader.cpp).
enum : std::uint32_t { kCounts = 0, kPagedCounts = 1, kNoCounts = 2 };

/// Extents in tiles.
struct ProductTiles {
    std::uint32_t k;
    std::uint32_t n;
    std::uint32_t chunks;  ///< of K, in tilizing
    std::uint32_t strips;  ///< of N
};

ProductTiles tiles_of(std::uint32_t k, std::uint32_t n, const ProductSchedule& schedule) {
    const std::uint32_t k_tiles = div_up(k, kTileColumns);
    const std::uint32_t n_tiles = div_up(n, kTileColumns);
    return {k_tiles, n_tiles, div_up(k_tiles, schedule.k_chunk), div_up(n_tiles, schedule.strip)};
}

// The reader clears a chunk of K, the writer a strip; both have zeros of the larger size.
std::uint32_t zeros_bytes(const ProductSchedule& schedule) {
    return std::max(schedule.k_chunk, schedule.strip) * kTileRowBytes;
}

constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

/// Returns the scratch for the scales of some rows or columns, as far apart as
/// kernels/block_scales.hpp has them.
std::uint32_t held_scale_bytes(std::uint32_t rows, std::uint32_t blocks) {
    return rows * round_up(4 * blocks, 64U);
}

// A strip may begin within a block of columns that share a scale, so that one more takes part.
std::uint32_t held_columns(const ScaleShape& scales, const ProductSchedule& schedule) {
    return schedule.strip * kTileColumns / std::min(scales.n_each, kTileColumns) + 1;
}

/// Returns the K tiles that share their scales. Without blocks along K the whole of K is one group,
/// whose sums are scaled once at the end.
std::uint32_t scale_tiles(const ScaleShape& scales, std::uint32_t k_tiles) {
    return scales.weight_blocks > 1 || scales.row_blocks > 1 ? kScaleBlock / kTileColumns : k_tiles;
}

/// Returns the bytes that scales in blocks take besides.
std::uint64_t scale_bytes(const ScaleShape& scales, const ProductSchedule& schedule) {
    if (!scales.is_in_blocks()) {
        return 0;
    }
    return std::uint64_t{kFloatTile} * (1 + 2 * schedule.strip) +
           held_scale_bytes(kTileRows, scales.row_blocks) +
           held_scale_bytes(held_columns(scales, schedule), scales.weight_blocks);
}

ScaledOperands operands_of(const ExpertProduct& product, std::array<TensorPlan, 4>& plans) {
    plans = {plan_of(product.rows), plan_of(product.weights), {}, {}};
    ScaledOperands operands{plans[0], plans[1]};
    if (product.expert_scales != nullptr) {
        plans[2] = plan_of(*product.expert_scales);
        operands.expert_scales = &plans[2];
    }
    if (product.row_scales != nullptr) {
        plans[3] = plan_of(*product.row_scales);
        operands.row_scales = &plans[3];
    }
    return operands;
}

ScaleShape scales_of(const ExpertProduct& product) {
    std::array<TensorPlan, 4> plans;
    return scale_shape(operands_of(product, plans));
}

/// Returns whether rows are multiplied with one number each at the end.
bool is_weighted(const ExpertProduct& product, const ScaleShape& scales) {
    return product.topk_weights != nullptr ||
           (!scales.is_in_blocks() && (scales.has_row_scales || scales.has_weight_scales));
}

/// Returns the bytes of the tables that the reader looks at: counts, or pieces of the list.
std::uint64_t table_bytes(const ExpertProduct& product) {
    if (!product.is_batched()) {
        return 2048;
    }
    return 64 + (product.counts == nullptr ? 4 * std::uint64_t{product.weights.spec.shape[0]}
                                           : counts_bytes(product.counts->spec.shape));
}

void add_buffers(Program& program, const CoreRangeSet& cores, const ExpertProduct& product,
                 const ProductTiles& tiles, const ProductSchedule& schedule,
                 std::uint32_t alignment) {
    const auto add = [&](std::uint8_t index, DataFormat format, std::uint32_t page,
                         std::uint32_t pages) {
        CreateCircularBuffer(
            program, cores,
            CircularBufferConfig(page * pages, {{index, format}}).set_page_size(index, page));
    };
    const DataFormat weights = product.weights.spec.format;
    const std::uint32_t announcement = round_up(kWriterWords * 4, alignment);
    const DataFormat rows = product.rows.spec.format;
    // Two chunks: the reader gathers one while the other is tilized.
    add(kRowsCb, rows, tile_bytes(rows), 2 * schedule.k_chunk);
    // Tiles of the whole K stay, since all strips of these rows multiply them.
    add(kTilesCb, rows, tile_bytes(rows), tiles.chunks * schedule.k_chunk);
    add(kWeightsCb, weights, tile_bytes(weights),
        schedule.cb_depth * schedule.strip * schedule.k_block);
    add(kScalesCb, DataFormat::Float32, tile_bytes(DataFormat::Float32), 1);
    add(kComputeUnits, DataFormat::UInt32, alignment, 4);
    add(kWriterUnits, DataFormat::UInt32, announcement, 4);
    // Two strips: the writer scatters one while the other is packed.
    add(kOut, DataFormat::Float16_b, kTileBytes, 2 * schedule.strip);
    const Scratch scratch[]{{kTables, table_bytes(product)},
                            {kReaderZeros, zeros_bytes(schedule)},
                            {kWriterZeros, zeros_bytes(schedule)},
                            {kWords, 64}};
    add_scratch(program, cores, scratch, alignment);
    const ScaleShape scales = scales_of(product);
    if (scales.is_in_blocks()) {
        add(kRowScales, DataFormat::Float32, kFloatTile, 1);
        add(kColumnScales, DataFormat::Float32, kFloatTile, schedule.strip);
        // Sums in L1 are fp32, since the packer adds each block of K to those before.
        add(kSums, DataFormat::Float32, kFloatTile, schedule.strip);
        const Scratch held[]{{kHeldRowScales, held_scale_bytes(kTileRows, scales.row_blocks)},
                             {kHeldColumnScales, held_scale_bytes(held_columns(scales, schedule),
                                                                  scales.weight_blocks)}};
        add_scratch(program, cores, held, alignment);
    }
}

std::uint64_t buffer_bytes(const ArchSpec& arch, std::uint32_t k, DataFormat weights,
                           const ProductSchedule& schedule) {
    // The columns of the output do not count here: only tiles of K are kept.
    const ProductTiles tiles = tiles_of(k, 1, schedule);
    // 4096 B have room for the tables (2048 B of a list), the words and their alignment.
    return std::uint64_t{kTileBytes} *
               (2 * schedule.k_chunk + tiles.chunks * schedule.k_chunk + 2 * schedule.strip) +
           std::uint64_t{tile_bytes(weights)} * schedule.cb_depth * schedule.strip *
               schedule.k_block +
           tile_bytes(DataFormat::Float32) + 8 * round_up(kWriterWords * 4, dram_alignment(arch)) +
           2 * zeros_bytes(schedule) + 4096;
}

void add_reader(Program& program, const SharedWork& work, const ExpertProduct& product,
                const ProductTiles& tiles, const ProductSchedule& schedule) {
    const DeviceTensor& rows = product.rows;
    const bool is_batched = product.is_batched();
    const DeviceTensor& counts = product.counts == nullptr ? rows : *product.counts;
    // A missing tensor is stood in for by one that is there, so that each call has the same
    // accessors. Flags keep the kernel from reading it.
    const DeviceTensor& ids = is_batched ? counts : *product.sorted_ids;
    const DeviceTensor& experts = is_batched ? ids : *product.expert_ids;
    const DeviceTensor& end = is_batched ? ids : *product.num_listed;
    const DeviceTensor& scales = product.topk_weights == nullptr ? ids : *product.topk_weights;
    const ScaleShape shape = scales_of(product);
    const DeviceTensor& row_scales = shape.has_row_scales ? *product.row_scales : ids;
    const DeviceTensor& expert_scales = shape.has_weight_scales ? *product.expert_scales : ids;
    const std::uint32_t element = element_bytes(rows.spec.format);
    const Shape& weights = product.weights.spec.shape;
    const std::uint32_t batch_rows = num_rows(rows.spec.shape) / weights[0];
    // How the counts of batches lie, as the kernel numbers it.
    const std::uint32_t counts_form = product.counts == nullptr     ? kNoCounts
                                      : is_paged(counts.spec.shape) ? kPagedCounts
                                                                    : kCounts;
    std::vector<std::uint32_t> args{
        is_batched ? 1U : 0U,
        element * weights[2],
        tiles.k,
        tiles.n,
        schedule.strip,
        schedule.k_block,
        schedule.k_chunk,
        product.block_size,
        product.reads_by_choice ? 1U : 0U,
        product.writes_by_choice ? 1U : 0U,
        product.top_k,
        product.topk_weights == nullptr ? 0U : row_length(scales.spec.shape),
        is_batched ? batch_rows : ids.spec.shape.back(),
        weights[0],
        is_batched ? counts_form : experts.spec.shape.back(),
        product.num_choices,
        element,
        shape.has_row_scales ? (shape.is_one_row ? 2U : 1U) : 0U,
        shape.has_weight_scales ? 1U : 0U,
        shape.is_in_blocks() ? 1U : 0U,
        shape.n_each,
        shape.has_weight_scales && shape.is_by_column ? div_up(weights[1], shape.n_each) : 1U,
        shape.weight_blocks,
        shape.row_blocks,
        scale_tiles(shape, tiles.k)};
    append_accessors(
        {&rows, &product.weights, &ids, &experts, &end, &scales, &row_scales, &expert_scales},
        args);
    const KernelHandle reader =
        CreateKernel(program, "ops/shared/expert_rows/kernels/product_reader.cpp", work.cores,
                     ReaderDataMovementConfig(std::move(args)));
    for (std::uint32_t core = 0; core < work.shares.size(); ++core) {
        SetRuntimeArgs(program, reader, work.shares[core].core,
                       {rows.buffer.address, product.weights.buffer.address, ids.buffer.address,
                        experts.buffer.address, end.buffer.address, scales.buffer.address, core,
                        static_cast<std::uint32_t>(work.shares.size()), row_scales.buffer.address,
                        expert_scales.buffer.address});
    }
}

void add_compute(Program& program, const SharedWork& work, const ExpertProduct& product,
                 const ProductTiles& tiles, const ProductSchedule& schedule) {
    const ScaleShape scales = scales_of(product);
    // Sums of K, or of a block of it with scales of its own, stay in DST in fp32.
    ComputeConfig config{
        .math_fidelity = schedule.math_fidelity,
        .fp32_dest_acc_en = true,
        .compile_args = {tiles.k, schedule.strip, schedule.k_block, schedule.k_chunk, tiles.chunks,
                         is_weighted(product, scales) ? 1U : 0U, scales.is_in_blocks() ? 1U : 0U,
                         scale_tiles(scales, tiles.k), scales.has_weight_scales ? 1U : 0U,
                         scales.has_row_scales ? 1U : 0U},
        .defines = {},
        .named_compile_args = {}};
    if (scales.is_in_blocks()) {
        // The default takes fp32 by way of SrcA, which would cut sums and scales to TF32.
        config.unpack_to_dest_mode.assign(kSums + 1U, UnpackToDestMode::Default);
        for (const std::uint8_t cb : {kRowScales, kColumnScales, kSums}) {
            config.unpack_to_dest_mode[cb] = UnpackToDestMode::UnpackToDestFp32;
        }
    }
    CreateKernel(program, "ops/shared/expert_rows/kernels/product_compute.cpp", work.cores, config);
}

void add_writer(Program& program, const SharedWork& work, const ExpertProduct& product,
                const ProductSchedule& schedule) {
    std::vector<std::uint32_t> args{schedule.strip, 2 * row_length(product.output.spec.shape)};
    append_accessors({&product.output}, args);
    const KernelHandle writer =
        CreateKernel(program, "ops/shared/expert_rows/kernels/product_writer.cpp", work.cores,
                     WriterDataMovementConfig(std::move(args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, writer, share.core, {product.output.buffer.address});
    }
}

/// Returns the most units that a list or counts may hold; more cores would be idle.
std::uint32_t most_units(const ExpertProduct& product, const ProductTiles& tiles) {
    if (product.is_batched()) {
        const std::uint32_t experts = product.weights.spec.shape[0];
        // Counts are on the device, so that the host takes all batches as full.
        const std::uint32_t rows = num_rows(product.rows.spec.shape) / experts;
        return experts * div_up(rows, kTileRows) * tiles.strips;
    }
    return product.expert_ids->spec.shape[0] * div_up(product.block_size, kTileRows) * tiles.strips;
}

}  // namespace

void judge_product(const ArchSpec& arch, const ScaledOperands& operands, bool is_weighted,
                   const ProductSchedule& schedule, RuleJudge& judge) {
    const TensorSpec& weights = operands.weights.spec;
    const ScaleShape scales = scale_shape(operands);
    const bool is_fp8 = operands.rows.spec.format == DataFormat::Fp8_e4m3;
    const bool has_both = scales.has_weight_scales && scales.has_row_scales;
    judge.require(is_fp8 == (weights.format == DataFormat::Fp8_e4m3) && (!is_fp8 || has_both),
                  "input", "must be fp8_e4m3 with expert_weights and scales, or none of them");
    judge_scales(operands, judge);
    judge_grid(arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    // Half of DST is packed while the other half takes products.
    const std::uint32_t half = arch.dst.tiles_32bit / 2;
    // Scales take one tile of that half (scale_sum in kernels/product_compute.cpp).
    const std::uint32_t beside =
        is_weighted || scales.has_weight_scales || scales.has_row_scales ? 1 : 0;
    judge.require(schedule.strip >= 1 && schedule.strip + beside <= half, "strip",
                  fmt::format("is {}; half of DST holds 1 to {} beside weights and scales",
                              schedule.strip, half - beside));
    judge.require(schedule.k_block > 0, "k_block", "is 0; allowed: at least 1");
    judge.require(schedule.k_chunk > 0, "k_chunk", "is 0; allowed: at least 1");
    if (schedule.k_chunk == 0) {
        return;
    }
    const std::uint64_t bytes = buffer_bytes(arch, weights.shape[2], weights.format, schedule) +
                                scale_bytes(scales, schedule);
    judge.require(bytes <= buffer_room(arch), "k_block",
                  fmt::format("{} with rows of {} takes {} B of circular buffers; a core has {} B "
                              "of L1 for them",
                              schedule.k_block, weights.shape[2], bytes, buffer_room(arch)));
}

Program expert_product(std::string_view op, const ArchSpec& arch, const ExpertProduct& product,
                       const ProductSchedule& schedule) {
    const Shape& weights = product.weights.spec.shape;
    const ProductTiles tiles = tiles_of(weights[2], weights[1], schedule);
    const SharedWork work = share_work(op, arch, schedule.grid, most_units(product, tiles));
    Program program = CreateProgram();
    add_buffers(program, work.cores, product, tiles, schedule, dram_alignment(arch));
    add_reader(program, work, product, tiles, schedule);
    add_compute(program, work, product, tiles, schedule);
    add_writer(program, work, product, schedule);
    return program;
}

}  // namespace tessera::ops
