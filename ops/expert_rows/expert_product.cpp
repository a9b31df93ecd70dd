// SPDX-License-Identifier: Apache-2.0
#include "ops/expert_rows/expert_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/buffer_room.hpp"
#include "ops/host_floats.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kTileRowBytes = 2 * kTileColumns;  // of bfloat16, the widest rows
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
    kOut = 16
};

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

std::uint32_t zeros_bytes(const ProductSchedule& schedule) {
    return std::max(schedule.k_chunk, schedule.strip) * kTileRowBytes;
}

/// Bytes of the tables that the reader looks at: counts, or pieces of the list.
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
    add(kRowsCb, rows, tile_bytes(rows), 2 * schedule.k_chunk);
    add(kTilesCb, rows, tile_bytes(rows), tiles.chunks * schedule.k_chunk);
    add(kWeightsCb, weights, tile_bytes(weights),
        schedule.cb_depth * schedule.strip * schedule.k_block);
    add(kScalesCb, DataFormat::Float32, tile_bytes(DataFormat::Float32), 1);
    add(kComputeUnits, DataFormat::UInt32, alignment, 4);
    add(kWriterUnits, DataFormat::UInt32, announcement, 4);
    add(kOut, DataFormat::Float16_b, kTileBytes, 2 * schedule.strip);
    const Scratch scratch[]{{kTables, table_bytes(product)},
                            {kReaderZeros, zeros_bytes(schedule)},
                            {kWriterZeros, zeros_bytes(schedule)},
                            {kWords, 64}};
    add_scratch(program, cores, scratch, alignment);
}

std::uint64_t buffer_bytes(const ArchSpec& arch, std::uint32_t k, DataFormat weights,
                           const ProductSchedule& schedule) {
    const ProductTiles tiles = tiles_of(k, 1, schedule);
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
    const DeviceTensor& ids = is_batched ? counts : *product.sorted_ids;
    const DeviceTensor& experts = is_batched ? ids : *product.expert_ids;
    const DeviceTensor& end = is_batched ? ids : *product.num_listed;
    const DeviceTensor& scales = product.topk_weights == nullptr ? ids : *product.topk_weights;
    const bool is_fp8 = product.row_scales != nullptr;
    const DeviceTensor& row_scales = is_fp8 ? *product.row_scales : ids;
    const DeviceTensor& expert_scales = is_fp8 ? *product.expert_scales : ids;
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
        is_fp8 ? 1U : 0U};
    append_accessors(
        {&rows, &product.weights, &ids, &experts, &end, &scales, &row_scales, &expert_scales},
        args);
    const KernelHandle reader = CreateKernel(program, "ops/expert_rows/kernels/product_reader.cpp",
                                             work.cores, ReaderDataMovementConfig(std::move(args)));
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
    const ComputeConfig config{
        .math_fidelity = schedule.math_fidelity,
        .fp32_dest_acc_en = true,
        .compile_args = {tiles.k, schedule.strip, schedule.k_block, schedule.k_chunk, tiles.chunks,
                         product.is_scaled() ? 1U : 0U},
        .defines = {},
        .named_compile_args = {}};
    CreateKernel(program, "ops/expert_rows/kernels/product_compute.cpp", work.cores, config);
}

void add_writer(Program& program, const SharedWork& work, const ExpertProduct& product,
                const ProductSchedule& schedule) {
    std::vector<std::uint32_t> args{schedule.strip, 2 * row_length(product.output.spec.shape)};
    append_accessors({&product.output}, args);
    const KernelHandle writer = CreateKernel(program, "ops/expert_rows/kernels/product_writer.cpp",
                                             work.cores, WriterDataMovementConfig(std::move(args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, writer, share.core, {product.output.buffer.address});
    }
}

/// The most units there can be: no more cores than that are of use.
std::uint32_t most_units(const ExpertProduct& product, const ProductTiles& tiles) {
    if (product.is_batched()) {
        const std::uint32_t experts = product.weights.spec.shape[0];
        const std::uint32_t rows = num_rows(product.rows.spec.shape) / experts;
        return experts * div_up(rows, kTileRows) * tiles.strips;
    }
    return product.expert_ids->spec.shape[0] * div_up(product.block_size, kTileRows) * tiles.strips;
}

}  // namespace

void judge_product(const ArchSpec& arch, std::uint32_t k, DataFormat weights, bool is_scaled,
                   const ProductSchedule& schedule, RuleJudge& judge) {
    judge_grid(arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    const std::uint32_t half = arch.dst.tiles_32bit / 2;
    judge.require(schedule.strip >= 1 && schedule.strip + (is_scaled ? 1 : 0) <= half, "strip",
                  fmt::format("is {}; half of DST holds 1 to {} beside the routing weights",
                              schedule.strip, half - (is_scaled ? 1 : 0)));
    judge.require(schedule.k_block > 0, "k_block", "is 0; it must be at least 1");
    judge.require(schedule.k_chunk > 0, "k_chunk", "is 0; it must be at least 1");
    if (schedule.k_chunk == 0) {
        return;
    }
    const std::uint64_t bytes = buffer_bytes(arch, k, weights, schedule);
    judge.require(bytes <= buffer_room(arch), "k_block",
                  fmt::format("{} with rows of {} takes {} B of circular buffers; a core has {} B "
                              "of L1 for them",
                              schedule.k_block, k, bytes, buffer_room(arch)));
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

void product_row(std::span<const float> row, std::span<const float> expert_weights, double scale,
                 std::span<float> out) {
    for (std::size_t n = 0; n < out.size(); ++n) {
        const auto weights = expert_weights.subspan(n * row.size(), row.size());
        const double sum = std::transform_reduce(
            row.begin(), row.end(), weights.begin(), 0.0, std::plus<>(),
            [](float a, float b) { return static_cast<double>(a) * static_cast<double>(b); });
        out[n] = static_cast<float>(sum * scale);
    }
}

namespace {

float e4m3_to_float(std::uint8_t code) {
    const int exponent = code >> 3 & 0xF;
    const int mantissa = code & 7;
    if ((code & 0x7F) == 0x7F) {
        return std::numeric_limits<float>::quiet_NaN();
    }
    const float magnitude = exponent == 0
                                ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(mantissa + 8), exponent - 10);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::vector<float> floats_of(const HostTensor& tensor) {
    std::vector<float> values(num_elements(tensor.shape));
    if (tensor.format == DataFormat::Fp8_e4m3) {
        std::ranges::transform(tensor.as<std::uint8_t>(), values.begin(), e4m3_to_float);
        return values;
    }
    read_floats(tensor, 0, values);
    return values;
}

}  // namespace tessera::ops
