// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/attention/attention.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "ops/shared/attention/cache_places.hpp"
#include "ops/shared/attention/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::attention {
namespace {

// Half of a 32-bit DST; the other half is packed meanwhile.
constexpr std::uint32_t kStripTiles = 4;
constexpr std::uint32_t kAnnouncement = 64;  // bytes
constexpr std::uint32_t kScaleSlot = 128;    // a key's scales and the padding that aligns them

struct TileBuffer {
    Cb cb;
    DataFormat format;
    std::uint32_t tiles;
};

constexpr auto kBf16 = DataFormat::Float16_b;
constexpr auto kFloat = DataFormat::Float32;

/// Adds the buffers of separate values, several key heads, sinks and codes.
void add_optional_buffers(std::vector<TileBuffer>& buffers, const Shapes& shapes) {
    if (shapes.has_values) {
        buffers.push_back({Cb::ValueRows, kBf16, 2 * shapes.value_tiles});
        buffers.push_back({Cb::Values, kBf16, shapes.block * shapes.value_tiles});
    }
    if (shapes.has_kv_heads) {
        buffers.push_back({Cb::StripLargest, kFloat, 1});
    }
    if (shapes.sink_bytes != 0) {
        buffers.push_back({Cb::Sinks, kBf16, shapes.strips});
    }
    if (shapes.scale_tiles != 0) {
        buffers.push_back({Cb::CodeRows, DataFormat::Fp8_e4m3, 2 * shapes.value_tiles});
        buffers.push_back({Cb::Codes, kBf16, shapes.value_tiles});
        buffers.push_back({Cb::Scales, kFloat, 2 * shapes.scale_tiles});
    }
}

std::vector<TileBuffer> tile_buffers(const Shapes& shapes) {
    // A second page receives rows while the first is tilized; tiles of a block stay until the block
    // is done. Running values have one page per strip and one more, because a new value is packed
    // before the old one is popped. Masks of heads serve all strips of a block, so their buffer has
    // one for each of its key tiles.
    std::vector<TileBuffer> buffers{
        {Cb::QueryRows, kBf16, shapes.query_tiles},
        {Cb::Queries, kBf16, shapes.strips * shapes.query_tiles},
        {Cb::KeyRows, kBf16, 2 * shapes.key_row_tiles()},
        {Cb::Keys, kBf16, shapes.block * shapes.query_tiles},
        {Cb::Masks, kBf16, shapes.has_kv_heads ? shapes.block : 2},
        {Cb::Ones, kBf16, 1},
        {Cb::Scores, kFloat, shapes.block},
        {Cb::TileLargest, kBf16, 1},
        {Cb::RowLargest, kBf16, 1},
        {Cb::Largest, kFloat, shapes.strips + 1},
        {Cb::Sums, kFloat, shapes.strips + 1},
        {Cb::Outputs, kFloat, (shapes.strips + 1) * shapes.value_tiles},
        {Cb::Shrink, kFloat, 1},
        {Cb::ResultRows, kBf16, 2 * kStripTiles},
        {Cb::Weights, kBf16, shapes.block},
        {Cb::Partial, kFloat, shapes.partial_tiles()},
        {Cb::OwnPartial, kFloat, shapes.partial_tiles()},
        {Cb::PartialShrink, kFloat, 1},
    };
    add_optional_buffers(buffers, shapes);
    return buffers;
}

/// Number of announcements to compute and writer per unit: all of the writer's precede its keys.
std::uint32_t announcements(const Shapes& shapes) {
    return 3 + shapes.strips;
}
constexpr Cb kAnnouncing[]{Cb::Units, Cb::WriterUnits};

std::vector<Scratch> scratch_of(const Shapes& shapes) {
    // Positions, sequences and pages take 64 B of each list, the alignment of any device. Sinks of
    // all heads follow them.
    return {{Cb::Detour, shapes.detour_bytes},
            {Cb::ListWords, 3 * 64 + shapes.sink_bytes},
            {Cb::SequenceWords, std::uint64_t{4} * shapes.page_words},
            {Cb::Chosen, std::uint64_t{4} * shapes.chosen_words},
            {Cb::ScaleWords, shapes.scale_tiles == 0 ? 0 : std::uint64_t{kTileRows} * kScaleSlot}};
}

}  // namespace

std::uint64_t buffer_bytes(const ArchSpec& arch, const Shapes& shapes) {
    // Scratch and announcements have no tile format and are counted in bytes.
    std::uint64_t bytes = bytes_of(scratch_of(shapes), dram_alignment(arch)) +
                          std::size(kAnnouncing) * announcements(shapes) * kAnnouncement;
    for (const TileBuffer& buffer : tile_buffers(shapes)) {
        bytes += std::uint64_t{buffer.tiles} * tile_bytes(buffer.format);
    }
    return bytes;
}

void judge_buffers(const ArchSpec& arch, const Shapes& shapes, RuleJudge& judge) {
    // Buffers grow with `block` first, so it is the key to change.
    const std::uint64_t bytes = buffer_bytes(arch, shapes);
    judge.require(bytes <= buffer_room(arch), "block",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              shapes.block, bytes, buffer_room(arch)));
}

void add_compute(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                 const Shapes& shapes) {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    // The scale is a compile-time argument: it is one number for the whole launch.
    config.named_compile_args = named(ComputeArgs{.query_tiles = shapes.query_tiles,
                                                  .value_tiles = shapes.value_tiles,
                                                  .block = shapes.block,
                                                  .scale = float_word(shapes.scale),
                                                  .has_values = shapes.has_values ? 1U : 0U,
                                                  .scale_tiles = shapes.scale_tiles,
                                                  .strips = shapes.strips,
                                                  .has_sinks = shapes.sink_bytes != 0 ? 1U : 0U});
    config.unpack_to_dest_mode.assign(32, UnpackToDestMode::Default);
    for (const TileBuffer& buffer : tile_buffers(shapes)) {
        add_circular_buffer(program, cores, buffer.cb, buffer.format,
                            {.pages = buffer.tiles, .page_bytes = tile_bytes(buffer.format)});
        // Running sums in fp32 must not pass through a source register, which would cut them to 10
        // bits of mantissa.
        if (buffer.format == DataFormat::Float32) {
            config.unpack_to_dest_mode[index_of(buffer.cb)] = UnpackToDestMode::UnpackToDestFp32;
        }
    }
    for (const Cb cb : kAnnouncing) {
        add_circular_buffer(program, cores, cb, DataFormat::UInt32,
                            {.pages = announcements(shapes), .page_bytes = kAnnouncement});
    }
    add_scratch(program, cores, scratch_of(shapes), dram_alignment(arch));
    CreateKernel(program,
                 shapes.has_kv_heads ? "ops/shared/attention/kernels/head_compute.cpp"
                                     : "ops/shared/attention/kernels/compute.cpp",
                 cores, std::move(config));
}

KernelHandle add_writer(Program& program, const CoreRangeSet& cores, const Shapes& shapes,
                        const DeviceTensor& output, Handshake handshake) {
    const WriterArgs args{.row_bytes = 2 * row_length(output.spec.shape),
                          .room_semaphore = handshake.room,
                          .arrived_semaphore = handshake.arrived,
                          .partial_tiles = shapes.partial_tiles()};
    return CreateKernel(program, "ops/shared/attention/kernels/writer.cpp", cores,
                        writer_config(args, WriterTensors{.output = &output.buffer}));
}

void set_writer_args(Program& program, KernelHandle writer, CoreCoord core,
                     const DeviceTensor& output, CoreCoord leader) {
    set_args(program, writer, core, addresses_of(WriterTensors{.output = &output.buffer}),
             Leader{.x = leader.x, .y = leader.y});
}

// Two passes over the scores instead of a running maximum: the reference shares no rule with the
// kernel.
void attend(std::size_t count, double scale, const std::function<double(std::size_t key)>& score,
            const std::function<void(std::size_t key, double weight)>& take,
            std::optional<double> sink) {
    std::vector<double> weights(count);
    double largest = sink.value_or(-std::numeric_limits<double>::infinity());
    for (std::size_t key = 0; key < count; ++key) {
        weights[key] = scale * score(key);
        largest = std::max(largest, weights[key]);
    }
    double sum = sink.has_value() ? std::exp(*sink - largest) : 0;
    for (double& weight : weights) {
        weight = std::exp(weight - largest);
        sum += weight;
    }
    for (std::size_t key = 0; key < count; ++key) {
        take(key, weights[key] / sum);
    }
}

void judge_heads(const HeadGroups& heads, std::uint32_t window, bool has_kv_heads,
                 RuleJudge& judge) {
    if (!has_kv_heads) {
        judge.require(heads.kv_heads == 1, "kv_heads",
                      fmt::format("is {}; allowed without `values`: 1", heads.kv_heads));
        judge.require(window == 0, "window",
                      fmt::format("is {}; allowed without `values`: 0, all positions", window));
        return;
    }
    judge.require(heads.heads % heads.kv_heads == 0, "kv_heads",
                  fmt::format("is {}; allowed: a divisor of the {} heads of queries",
                              heads.kv_heads, heads.heads));
}

void judge_sinks(const Shape& sinks, std::uint32_t heads, RuleJudge& judge) {
    judge.require(num_elements(sinks) == heads, "sinks",
                  fmt::format("has {} elements; allowed: one for each of {} heads",
                              num_elements(sinks), heads));
}

std::uint32_t value_dim(const Shape& keys, const Shape& values, std::uint32_t head_dim) {
    return static_cast<std::uint32_t>(num_elements(values) * head_dim / num_elements(keys));
}

void judge_head_caches(const ArchSpec& arch, const HeadCachePair& caches, RuleJudge& judge) {
    const std::uint32_t page_size = std::max(caches.page_size, 1U);
    for (const HeadCache& cache : {caches.keys, caches.values}) {
        judge_cache_rows(*cache.operand, *cache.tensor,
                         {.columns = cache.dim, .page_size = page_size, .heads = caches.kv_heads},
                         dram_alignment(arch), judge);
    }
    const auto positions = [&](const HeadCache& cache) {
        return num_elements(cache.tensor->shape) /
               std::max<std::uint64_t>(std::uint64_t{cache.dim} * caches.kv_heads, 1);
    };
    judge.require(caches.values.dim > 0 && positions(caches.keys) == positions(caches.values) &&
                      num_elements(caches.values.tensor->shape) ==
                          positions(caches.values) * caches.kv_heads * caches.values.dim,
                  caches.values.operand->name,
                  fmt::format("has {} elements; allowed: as many heads as {} has, which are {}",
                              num_elements(caches.values.tensor->shape), caches.keys.operand->name,
                              positions(caches.keys) * caches.kv_heads));
}

}  // namespace tessera::ops::attention
