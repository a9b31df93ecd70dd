// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/expert_product.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/kernels/product_args.hpp"
#include "ops/shared/expert_rows/near_banks.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kTileRowBytes = 2 * kTileColumns;  // row of a bfloat16 tile, the widest
// An announcement: what follows, its first column, its columns, and the target of each row.
constexpr std::uint32_t kWriterWords = 3 + kTileRows;

/// Extents in tiles.
struct ProductTiles {
    std::uint32_t k;
    std::uint32_t n;
    std::uint32_t chunks;  ///< chunks of K in tilizing
    std::uint32_t strips;  ///< strips of N
};

ProductTiles tiles_of(std::uint32_t k_tiles, std::uint32_t n, const ProductSchedule& schedule) {
    const std::uint32_t n_tiles = div_up(n, kTileColumns);
    return {k_tiles, n_tiles, div_up(k_tiles, schedule.k_chunk), div_up(n_tiles, schedule.strip)};
}

// The reader clears a chunk of K, the writer a strip; both have zeros of the larger size.
std::uint32_t zeros_bytes(const ProductSchedule& schedule) {
    return std::max(schedule.k_chunk, schedule.strip) * kTileRowBytes;
}

constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

/// Returns the scratch for the scales of rows or columns, with the distance of
/// kernels/block_scales.hpp.
std::uint32_t held_scale_bytes(std::uint32_t rows, std::uint32_t blocks) {
    return rows * round_up(4 * blocks, 64U);
}

// A strip may begin within a block of columns that share a scale, so it may use one more scale.
std::uint32_t held_columns(const ScaleShape& scales, const ProductSchedule& schedule) {
    return schedule.strip * kTileColumns / std::min(scales.n_each, kTileColumns) + 1;
}

/// Scratch for bytes of each column of a unit: scales of mxfp4, or zero points.
std::uint32_t held_byte_columns(const ScaleShape& scales, const ProductSchedule& schedule) {
    return schedule.strip * kTileColumns * round_up(scales.weight_blocks, 64U);
}

/// K tiles that share a scale.
std::uint32_t scale_tiles(const ScaleShape& scales, std::uint32_t k_tiles) {
    return scales.weight_blocks > 1 || scales.row_blocks > 1 ? scales.k_each / kTileColumns
                                                             : k_tiles;
}

/// K tiles of one sum. Codes of 4 bits are converted to numbers between the sums, one push of
/// weights at a time.
std::uint32_t block_tiles(const ScaleShape& scales, std::uint32_t k_tiles,
                          const ProductSchedule& schedule) {
    if (scales.form == row_products::WeightForm::Mxfp4) {
        return schedule.k_block;
    }
    const std::uint32_t tiles = scale_tiles(scales, k_tiles);
    return scales.is_packed() ? std::min(tiles, schedule.k_block) : tiles;
}

/// Pages of words that a push of packed weights has.
std::uint32_t word_tiles(const ProductSchedule& schedule) {
    return row_products::word_tiles(schedule.k_block, schedule.strip);
}

/// Returns the additional bytes of L1 for packed weights.
std::uint64_t packed_bytes(const ScaleShape& scales, const ProductSchedule& schedule) {
    if (!scales.is_packed()) {
        return 0;
    }
    const std::uint64_t numbers = std::uint64_t{schedule.k_block} * schedule.strip;
    const std::uint64_t codes = std::uint64_t{4} * word_tiles(schedule) * kFloatTile;
    const std::uint64_t sorted = std::uint64_t{schedule.k_chunk + 4} * kTileBytes;
    const std::uint64_t own =
        scales.form == row_products::WeightForm::Mxfp4
            ? 2 * numbers * kTileBytes + numbers * tile_bytes(DataFormat::Bfp8_b)
            : std::uint64_t{2} * schedule.strip * row_products::kByteTile;
    return codes + sorted + own + held_byte_columns(scales, schedule);
}

/// Returns the additional bytes of L1 for scales in blocks and for biases.
std::uint64_t scale_bytes(const ScaleShape& scales, const ProductSchedule& schedule) {
    const std::uint64_t bias = scales.has_bias ? schedule.strip * kTileBytes : 0;
    if (!scales.is_in_blocks()) {
        return bias;
    }
    return bias + std::uint64_t{kFloatTile} * (1 + 2 * schedule.strip) +
           held_scale_bytes(kTileRows, scales.row_blocks) +
           held_scale_bytes(held_columns(scales, schedule), scales.weight_blocks) +
           packed_bytes(scales, schedule);
}

ScaleShape scales_of(const ExpertProduct& product) {
    std::array<TensorPlan, 6> plans;
    const auto plan = [&](std::size_t place, const DeviceTensor* tensor) -> const TensorPlan* {
        if (tensor == nullptr) {
            return nullptr;
        }
        plans[place] = plan_of(*tensor);
        return &plans[place];
    };
    return scale_shape({*plan(0, &product.rows), *plan(1, &product.weights),
                        plan(2, product.expert_scales), plan(3, product.row_scales),
                        plan(4, product.zero_points), plan(5, product.bias), product.parts});
}

/// K tiles of rows and weights: packed weights have pairs of them.
std::uint32_t inner_tiles(const Shape& weights, const ScaleShape& scales) {
    const std::uint32_t tiles = div_up(weights[2], kTileColumns);
    return scales.is_packed() ? 2 * tiles : tiles;
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

void add_scale_buffers(Program& program, const CoreRangeSet& cores, const ScaleShape& scales,
                       const ProductSchedule& schedule, std::uint32_t alignment) {
    const auto add = [&](row_products::Cb cb, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, DataFormat::Float32, {pages, kFloatTile});
    };
    add(row_products::Cb::RowScales, 1);
    add(row_products::Cb::ColumnScales, schedule.strip);
    add(row_products::Cb::Sums, schedule.strip);
    const std::uint32_t held_columns_bytes =
        scales.form == row_products::WeightForm::Mxfp4
            ? held_byte_columns(scales, schedule)
            : held_scale_bytes(held_columns(scales, schedule), scales.weight_blocks);
    const Scratch held[]{
        {row_products::Cb::HeldRowScales, held_scale_bytes(kTileRows, scales.row_blocks)},
        {row_products::Cb::HeldColumnScales, held_columns_bytes}};
    add_scratch(program, cores, held, alignment);
}

/// Circular buffers of weights of 4 bits on their way to the matrix unit.
void add_packed_buffers(Program& program, const CoreRangeSet& cores, const ScaleShape& scales,
                        const ProductSchedule& schedule, std::uint32_t alignment) {
    using row_products::Cb;
    const std::uint32_t numbers = schedule.k_block * schedule.strip;
    const std::uint32_t words = word_tiles(schedule);
    const auto words_cb = static_cast<std::uint8_t>(index_of(Cb::CodeWords));
    const auto bytes_cb = static_cast<std::uint8_t>(index_of(Cb::CodeBytes));
    // Two pushes; each has one half for even columns and one for odd ones.
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(4 * words * kFloatTile,
                             {{words_cb, DataFormat::UInt32}, {bytes_cb, DataFormat::Fp8_e4m3}})
            .set_page_size(words_cb, kFloatTile)
            .set_page_size(bytes_cb, row_products::kByteTile));
    const auto add = [&](Cb cb, DataFormat format, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, tile_bytes(format)});
    };
    add(Cb::PlainTiles, DataFormat::Float16_b, schedule.k_chunk);
    add(Cb::Sorters, DataFormat::Float16_b, 4);
    if (scales.form == row_products::WeightForm::Mxfp4) {
        add(Cb::Numbers, DataFormat::Float16_b, 2 * numbers);
        add(Cb::Exponents, DataFormat::Bfp8_b, row_products::kExponentBuffers * (numbers / 2));
        return;
    }
    add(Cb::ZeroPoints, DataFormat::Fp8_e4m3, row_products::kZeroPointBuffers * schedule.strip);
    if (scales.has_zero_points) {
        const Scratch held[]{{Cb::HeldZeroPoints, held_byte_columns(scales, schedule)}};
        add_scratch(program, cores, held, alignment);
    }
}

void add_buffers(Program& program, const CoreRangeSet& cores, const ExpertProduct& product,
                 const ProductTiles& tiles, const ProductSchedule& schedule,
                 std::uint32_t alignment) {
    const auto add = [&](row_products::Cb cb, DataFormat format, std::uint32_t page,
                         std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, page});
    };
    const DataFormat weights = product.weights.spec.format;
    const std::uint32_t announcement = round_up(kWriterWords * 4, alignment);
    const DataFormat rows = product.rows.spec.format;
    add(row_products::Cb::Rows, rows, tile_bytes(rows), 2 * schedule.k_chunk);
    add(row_products::Cb::Tiles, rows, tile_bytes(rows), tiles.chunks * schedule.k_chunk);
    const ScaleShape scales = scales_of(product);
    if (scales.is_packed()) {
        add(row_products::Cb::Weights, DataFormat::UInt32, kFloatTile,
            schedule.cb_depth * word_tiles(schedule));
        add_packed_buffers(program, cores, scales, schedule, alignment);
    } else {
        add(row_products::Cb::Weights, weights, tile_bytes(weights),
            schedule.cb_depth * schedule.strip * schedule.k_block);
    }
    if (scales.has_bias) {
        add(row_products::Cb::Bias, DataFormat::Float16_b, kTileBytes, schedule.strip);
    }
    add(row_products::Cb::Scales, DataFormat::Float32, tile_bytes(DataFormat::Float32), 1);
    add(row_products::Cb::ComputeUnits, DataFormat::UInt32, alignment, 4);
    add(row_products::Cb::WriterUnits, DataFormat::UInt32, announcement, 4);
    add(row_products::Cb::Output, DataFormat::Float16_b, kTileBytes, 2 * schedule.strip);
    const Scratch scratch[]{{row_products::Cb::Tables, table_bytes(product)},
                            {row_products::Cb::ReaderZeros, zeros_bytes(schedule)},
                            {row_products::Cb::WriterZeros, zeros_bytes(schedule)},
                            {row_products::Cb::Words, 64}};
    add_scratch(program, cores, scratch, alignment);
    if (scales.is_in_blocks()) {
        add_scale_buffers(program, cores, scales, schedule, alignment);
    }
}

std::uint64_t buffer_bytes(const ArchSpec& arch, std::uint32_t k_tiles, DataFormat weights,
                           const ProductSchedule& schedule) {
    const ProductTiles tiles = tiles_of(k_tiles, 1, schedule);
    return std::uint64_t{kTileBytes} *
               (2 * schedule.k_chunk + tiles.chunks * schedule.k_chunk + 2 * schedule.strip) +
           std::uint64_t{tile_bytes(weights)} * schedule.cb_depth * schedule.strip *
               schedule.k_block +
           tile_bytes(DataFormat::Float32) + 8 * round_up(kWriterWords * 4, dram_alignment(arch)) +
           2 * zeros_bytes(schedule) + 4096;
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
                                     const ProductSchedule& schedule) {
    row_products::ReaderArgs args = product_reader_args(product);
    args.strip = schedule.strip;
    args.k_block = schedule.k_block;
    args.k_chunk = schedule.k_chunk;
    args.block_tiles = block_tiles(scales_of(product), tiles.k, schedule);
    return args;
}

void add_reader(Program& program, const SharedWork& work, const ExpertProduct& product,
                const ProductTiles& tiles, const ProductSchedule& schedule) {
    const row_products::ReaderTensors tensors = product_reader_tensors(product);
    const KernelHandle reader =
        CreateKernel(program, "ops/shared/expert_rows/kernels/product_reader.cpp", work.cores,
                     reader_config(reader_args(product, tiles, schedule), tensors));
    const auto num_cores = static_cast<std::uint32_t>(work.shares.size());
    for (std::uint32_t core = 0; core < num_cores; ++core) {
        set_args(program, reader, work.shares[core].core, addresses_of(tensors),
                 row_products::CoreShare{.core = core, .num_cores = num_cores});
    }
}

row_products::ComputeArgs compute_args(const ProductTiles& tiles, bool is_scaled,
                                       const ScaleShape& scales, const ProductSchedule& schedule) {
    return {.k_tiles = tiles.k,
            .strip = schedule.strip,
            .k_block = schedule.k_block,
            .k_chunk = schedule.k_chunk,
            .chunks = tiles.chunks,
            .is_scaled = is_scaled ? 1U : 0U,
            .is_in_blocks = scales.is_in_blocks() ? 1U : 0U,
            .block_tiles = block_tiles(scales, tiles.k, schedule),
            .has_column_scales = scales.scales_columns() ? 1U : 0U,
            .has_row_scales = scales.has_row_scales ? 1U : 0U,
            .has_bias = scales.has_bias ? 1U : 0U,
            .weight_form = index_of(scales.form)};
}

void add_compute(Program& program, const SharedWork& work, const ExpertProduct& product,
                 const ProductTiles& tiles, const ProductSchedule& schedule) {
    using row_products::Cb;
    const ScaleShape scales = scales_of(product);
    ComputeConfig config;
    config.math_fidelity = schedule.math_fidelity;
    config.fp32_dest_acc_en = true;
    config.named_compile_args =
        named(compute_args(tiles, is_weighted(product, scales), scales, schedule));
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
                                        .row_bytes = 2 * row_length(product.output.spec.shape)};
    const row_products::WriterTensors tensors{.output = &product.output.buffer};
    const KernelHandle writer =
        CreateKernel(program, "ops/shared/expert_rows/kernels/product_writer.cpp", work.cores,
                     writer_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core, addresses_of(tensors));
    }
}

/// Returns the most units that a list or counts may hold; more cores would be idle.
std::uint32_t most_units(const ExpertProduct& product, const ProductTiles& tiles) {
    if (product.is_batched()) {
        const std::uint32_t experts = product.weights.spec.shape[0];
        // Counts are on the device, so the host assumes full batches.
        const std::uint32_t rows = num_rows(product.rows.spec.shape) / experts;
        return experts * div_up(rows, kTileRows) * tiles.strips;
    }
    return product.expert_ids->spec.shape[0] * div_up(product.block_size, kTileRows) * tiles.strips;
}

}  // namespace

namespace {

/// Checks that operands have formats of one kind, and rows as many columns as weights.
void judge_formats(const ScaledOperands& operands, const ScaleShape& scales, RuleJudge& judge) {
    const TensorSpec& weights = operands.weights.spec;
    const TensorSpec& rows = operands.rows.spec;
    const bool is_fp8 = rows.format == DataFormat::Fp8_e4m3;
    const bool has_both = scales.has_weight_scales && scales.has_row_scales;
    judge.require(is_fp8 == (weights.format == DataFormat::Fp8_e4m3) && (!is_fp8 || has_both),
                  "input", "must be fp8_e4m3 with expert_weights and scales, or none of them");
    const std::uint32_t k = row_length(rows.shape);
    const std::uint32_t width = scales.is_packed() ? div_up(k, 2U) : k;
    judge.require(weights.shape[2] == width && (!scales.is_packed() || k % 2 == 0),
                  "expert_weights",
                  fmt::format("have {} columns; allowed with rows of {}: {}{}", weights.shape[2], k,
                              width, scales.is_packed() ? ", two codes a byte" : ""));
}

/// Returns whether a product has neither scales, zero points nor a bias.
bool is_plain(const ScaleShape& scales) {
    return !scales.is_packed() && !scales.has_weight_scales && !scales.has_row_scales &&
           !scales.has_bias;
}

/// Checks the schedule of 4-bit weights.
void judge_packed(const ScaleShape& scales, std::uint32_t k_tiles, const ProductSchedule& schedule,
                  RuleJudge& judge) {
    judge.require(
        schedule.k_chunk % 2 == 0, "k_chunk",
        fmt::format("is {}; allowed with codes of 4 bits: an even number", schedule.k_chunk));
    const std::uint32_t shared = scale_tiles(scales, k_tiles);
    const bool is_micro = scales.form == row_products::WeightForm::Mxfp4;
    const bool fits = is_micro || scales.weight_blocks == 1 || schedule.k_block % shared == 0 ||
                      shared % schedule.k_block == 0;
    judge.require(
        schedule.k_block % 2 == 0 && fits, "k_block",
        fmt::format("is {}; allowed with codes of 4 bits: an even number{}", schedule.k_block,
                    is_micro || scales.weight_blocks == 1
                        ? ""
                        : fmt::format(" that is a multiple of {}, or divides it", shared)));
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
            .bias = buffer_of(product.bias)};
}

void judge_product(const ArchSpec& arch, const ScaledOperands& operands, bool is_weighted,
                   const ProductSchedule& schedule, RuleJudge& judge) {
    const TensorSpec& weights = operands.weights.spec;
    const ScaleShape scales = scale_shape(operands);
    judge_formats(operands, scales, judge);
    judge_scales(operands, judge);
    if (judge_grid(arch, schedule.grid, judge) && schedule.weight_reads == WeightReads::NearBanks) {
        const std::string fault = near_banks_fault(
            arch, {operands.rows.spec, operands.weights.spec, is_plain(scales)}, schedule);
        judge.require(fault.empty(), "weight_reads", fmt::format("near_banks {}", fault));
        return;
    }
    judge_depth(schedule.cb_depth, judge);
    // Half of DST is packed while the other half takes products.
    const std::uint32_t half = arch.dst.tiles_32bit / 2;
    const bool has_spare =
        is_weighted || scales.has_weight_scales || scales.has_row_scales || scales.has_bias;
    const std::uint32_t beside = has_spare ? 1 : 0;
    judge.require(schedule.strip >= 1 && schedule.strip + beside <= half, "strip",
                  fmt::format("is {}; half of DST holds 1 to {} beside weights and scales",
                              schedule.strip, half - beside));
    judge.require(schedule.k_block > 0, "k_block", "is 0; allowed: at least 1");
    judge.require(schedule.k_chunk > 0, "k_chunk", "is 0; allowed: at least 1");
    if (schedule.k_chunk == 0 || schedule.k_block == 0) {
        return;
    }
    const std::uint32_t k_tiles = inner_tiles(weights.shape, scales);
    if (scales.is_packed()) {
        judge_packed(scales, k_tiles, schedule, judge);
    }
    const std::uint64_t bytes =
        buffer_bytes(arch, k_tiles, weights.format, schedule) + scale_bytes(scales, schedule);
    judge.require(bytes <= buffer_room(arch), "k_block",
                  fmt::format("{} with rows of {} takes {} B of circular buffers; a core has {} B "
                              "of L1 for them",
                              schedule.k_block, row_length(operands.rows.spec.shape), bytes,
                              buffer_room(arch)));
}

Program expert_product(std::string_view op, const ArchSpec& arch, const ExpertProduct& product,
                       const ProductSchedule& schedule) {
    const Shape& weights = product.weights.spec.shape;
    const ScaleShape scales = scales_of(product);
    const std::uint32_t rows =
        product.is_batched() ? num_rows(product.rows.spec.shape) : product.num_choices;
    const NearOperands near_operands{product.rows.spec, product.weights.spec, is_plain(scales),
                                     rows / weights[0]};
    if (const auto near = near_banks_of(arch, near_operands, schedule)) {
        return near_banks_program(arch, product, *near, schedule.math_fidelity);
    }
    const ProductTiles tiles = tiles_of(inner_tiles(weights, scales), weights[1], schedule);
    const SharedWork work = share_work(op, arch, schedule.grid, most_units(product, tiles));
    Program program = CreateProgram();
    add_buffers(program, work.cores, product, tiles, schedule, dram_alignment(arch));
    add_reader(program, work, product, tiles, schedule);
    add_compute(program, work, product, tiles, schedule);
    add_writer(program, work, product, schedule);
    return program;
}

}  // namespace tessera::ops
