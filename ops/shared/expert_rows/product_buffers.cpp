// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/product_buffers.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/expert_rows/kernels/product_args.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kTileRowBytes = 2 * kTileColumns;  // row of a bfloat16 tile, the widest
// An announcement: what follows, its first column, its columns, and the target of each row.
constexpr std::uint32_t kWriterWords = 3 + kTileRows;
constexpr std::uint32_t kUnitsAhead = 4;  // that the reader may have announced

// The reader clears a chunk of K, the writer a strip; both have zeros of the larger size.
std::uint32_t zeros_bytes(const ProductSchedule& schedule) {
    return std::max(schedule.k_chunk, schedule.strip) * kTileRowBytes;
}

constexpr std::uint32_t kHeldFactorBytes = 64;  // one read of the numbers of experts
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

/// Scratch for bytes of each column of a unit: scales of e2m1, or zero points.
std::uint32_t held_byte_columns(const ScaleShape& scales, const ProductSchedule& schedule) {
    return schedule.strip * kTileColumns * round_up(scales.weight_blocks, 64U);
}

/// Pages of words that a push of packed weights has.
std::uint32_t word_tiles(const ProductSchedule& schedule) {
    return row_products::word_tiles(schedule.k_block, schedule.strip);
}

/// Format of the tiles that bring scales of e2m1 to the vector unit.
DataFormat micro_scale_format(row_products::WeightForm form) {
    return form == row_products::WeightForm::Mxfp4 ? DataFormat::Bfp8_b : DataFormat::Fp8_e4m3;
}

/// Tiles that sort columns, and bring e4m3 scales to theirs.
std::uint32_t sorters(const ScaleShape& scales) {
    return row_products::kSorters + (scales.form == row_products::WeightForm::Nvfp4 ? 1 : 0);
}

/// Returns the additional bytes of L1 for packed weights.
std::uint64_t packed_bytes(const ScaleShape& scales, const ProductSchedule& schedule) {
    if (!scales.is_packed()) {
        return 0;
    }
    const std::uint64_t numbers = std::uint64_t{schedule.k_block} * schedule.strip;
    const std::uint64_t codes = std::uint64_t{4} * word_tiles(schedule) * kFloatTile;
    const std::uint64_t sorted = std::uint64_t{schedule.k_chunk + sorters(scales)} * kTileBytes;
    const std::uint64_t own =
        is_e2m1(scales.form)
            ? 2 * numbers * kTileBytes + numbers * tile_bytes(micro_scale_format(scales.form))
            : std::uint64_t{2} * schedule.strip * row_products::kByteTile;
    return codes + sorted + own + held_byte_columns(scales, schedule);
}

/// Returns the additional bytes of L1 for scales in blocks and for biases.
std::uint64_t scale_bytes(const ScaleShape& scales, const ProductSchedule& schedule) {
    const std::uint64_t bias = scales.has_bias ? schedule.strip * kTileBytes : 0;
    if (!scales.is_in_blocks()) {
        return bias;
    }
    return bias + kHeldFactorBytes + std::uint64_t{kFloatTile} * (1 + 2 * schedule.strip) +
           held_scale_bytes(kTileRows, scales.row_blocks) +
           held_scale_bytes(held_columns(scales, schedule), scales.weight_blocks) +
           packed_bytes(scales, schedule);
}

/// Returns the bytes of the experts of a list's blocks, which the reader holds if tile rows share
/// reads of weights.
std::uint64_t held_expert_bytes(std::uint32_t num_blocks, const ProductSchedule& schedule) {
    return schedule.tile_rows > 1 ? std::uint64_t{4} * num_blocks : 0;
}

/// Returns the bytes of the tables that the reader looks at: counts, or pieces of the list.
std::uint64_t table_bytes(const ExpertProduct& product, const ProductSchedule& schedule) {
    if (!product.is_batched()) {
        return row_products::kHeldExperts +
               held_expert_bytes(product.expert_ids->spec.shape.back(), schedule);
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
        is_e2m1(scales.form)
            ? held_byte_columns(scales, schedule)
            : held_scale_bytes(held_columns(scales, schedule), scales.weight_blocks);
    const Scratch held[]{
        {row_products::Cb::HeldRowScales, held_scale_bytes(kTileRows, scales.row_blocks)},
        {row_products::Cb::HeldColumnScales, held_columns_bytes},
        {row_products::Cb::HeldFactor, kHeldFactorBytes}};
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
    add(Cb::Sorters, DataFormat::Float16_b, sorters(scales));
    if (is_e2m1(scales.form)) {
        add(Cb::Numbers, DataFormat::Float16_b, 2 * numbers);
        add(Cb::Exponents, micro_scale_format(scales.form),
            row_products::kExponentBuffers * (numbers / 2));
        return;
    }
    add(Cb::ZeroPoints, DataFormat::Fp8_e4m3, row_products::kZeroPointBuffers * schedule.strip);
    if (scales.has_zero_points) {
        const Scratch held[]{{Cb::HeldZeroPoints, held_byte_columns(scales, schedule)}};
        add_scratch(program, cores, held, alignment);
    }
}

}  // namespace

ProductTiles tiles_of(std::uint32_t k_tiles, std::uint32_t n, const ProductSchedule& schedule) {
    const std::uint32_t n_tiles = div_up(n, kTileColumns);
    return {k_tiles, n_tiles, div_up(k_tiles, schedule.k_chunk), div_up(n_tiles, schedule.strip)};
}

std::uint32_t scale_tiles(const ScaleShape& scales, std::uint32_t k_tiles) {
    return scales.weight_blocks > 1 || scales.row_blocks > 1 ? div_up(scales.k_each, kTileColumns)
                                                             : k_tiles;
}

// Codes of 4 bits are converted to numbers between the sums, one push of weights at a time.
std::uint32_t block_tiles(const ScaleShape& scales, std::uint32_t k_tiles,
                          const ProductSchedule& schedule) {
    if (is_e2m1(scales.form)) {
        return schedule.k_block;
    }
    const std::uint32_t tiles = scale_tiles(scales, k_tiles);
    return scales.is_packed() ? std::min(tiles, schedule.k_block) : tiles;
}

std::uint32_t sorted_each(const ScaleShape& scales, std::uint32_t k_tiles,
                          const ProductSchedule& schedule) {
    return are_halved(scales.form, block_tiles(scales, k_tiles, schedule)) ? 2 : 1;
}

ScaleShape scales_of(const ExpertProduct& product) {
    std::array<TensorPlan, 7> plans;
    const auto plan = [&](std::size_t place, const DeviceTensor* tensor) -> const TensorPlan* {
        if (tensor == nullptr) {
            return nullptr;
        }
        plans[place] = plan_of(*tensor);
        return &plans[place];
    };
    return scale_shape({*plan(0, &product.rows), *plan(1, &product.weights),
                        plan(2, product.expert_scales), plan(3, product.row_scales),
                        plan(4, product.zero_points), plan(5, product.bias), product.parts,
                        plan(6, product.expert_factors)});
}

std::uint32_t inner_tiles(const Shape& weights, const ScaleShape& scales) {
    const std::uint32_t tiles = div_up(weights[2], kTileColumns);
    return scales.is_packed() ? 2 * tiles : tiles;
}

DstSums sums_in_dst(const ArchSpec& arch, const ScaleShape& scales, bool is_weighted,
                    std::uint32_t tile_rows) {
    const bool has_spare =
        is_weighted || scales.has_weight_scales || scales.scales_rows() || scales.has_bias;
    const std::uint32_t spare = has_spare ? 1 : 0;
    const std::uint32_t half = arch.dst.tiles_32bit / 2 - spare;
    return tile_rows <= half ? DstSums{half, false} : DstSums{arch.dst.tiles_32bit - spare, true};
}

void add_product_buffers(Program& program, const CoreRangeSet& cores, const ExpertProduct& product,
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
    const ScaleShape scales = scales_of(product);
    add(row_products::Cb::Tiles, rows, tile_bytes(rows),
        schedule.tile_rows * tiles.chunks * schedule.k_chunk *
            sorted_each(scales, tiles.k, schedule));
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
    add(row_products::Cb::Scales, DataFormat::Float32, tile_bytes(DataFormat::Float32),
        schedule.tile_rows);
    add(row_products::Cb::ComputeUnits, DataFormat::UInt32, alignment, kUnitsAhead);
    // Each tile row of a unit is announced to the writer.
    add(row_products::Cb::WriterUnits, DataFormat::UInt32, announcement,
        kUnitsAhead * schedule.tile_rows);
    add(row_products::Cb::Output, DataFormat::Float16_b, kTileBytes, 2 * schedule.strip);
    const Scratch scratch[]{{row_products::Cb::Tables, table_bytes(product, schedule)},
                            {row_products::Cb::ReaderZeros, zeros_bytes(schedule)},
                            {row_products::Cb::WriterZeros, zeros_bytes(schedule)},
                            {row_products::Cb::Words, 64}};
    add_scratch(program, cores, scratch, alignment);
    if (scales.is_in_blocks()) {
        add_scale_buffers(program, cores, scales, schedule, alignment);
    }
}

std::uint64_t product_buffer_bytes(const ArchSpec& arch, std::uint32_t k_tiles, DataFormat weights,
                                   const ScaleShape& scales, const ProductSchedule& schedule,
                                   std::uint32_t num_blocks) {
    const ProductTiles tiles = tiles_of(k_tiles, 1, schedule);
    const std::uint64_t row_tiles =
        std::uint64_t{tiles.chunks} * schedule.k_chunk * sorted_each(scales, k_tiles, schedule);
    const std::uint64_t announcements = std::uint64_t{kUnitsAhead} * (1 + schedule.tile_rows) *
                                        round_up(kWriterWords * 4, dram_alignment(arch));
    return kTileBytes *
               (2 * schedule.k_chunk + schedule.tile_rows * row_tiles + 2 * schedule.strip) +
           std::uint64_t{tile_bytes(weights)} * schedule.cb_depth * schedule.strip *
               schedule.k_block +
           std::uint64_t{tile_bytes(DataFormat::Float32)} * schedule.tile_rows + announcements +
           2 * zeros_bytes(schedule) + 4096 + held_expert_bytes(num_blocks, schedule) +
           scale_bytes(scales, schedule);
}

}  // namespace tessera::ops
