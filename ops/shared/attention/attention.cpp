// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/attention/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "ops/shared/attention/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::attention {
namespace {

// Half of a 32-bit DST, so that the other half is packed meanwhile.
constexpr std::uint32_t kStripTiles = 4;
constexpr std::uint32_t kAnnouncement = 64;  // bytes
constexpr std::uint32_t kScaleSlot = 128;    // of a key's scales, and of what aligns their read

struct TileBuffer {
    Cb cb;
    DataFormat format;
    std::uint32_t tiles;
};

std::vector<TileBuffer> tile_buffers(const Shapes& shapes) {
    constexpr auto kBf16 = DataFormat::Float16_b;
    constexpr auto kFloat = DataFormat::Float32;
    // Rows arrive in a second page while the first is tilized; tiles of a block stay until the
    // block is done. Running values have two pages, because the new one is packed before the old
    // one is dropped.
    std::vector<TileBuffer> buffers{
        {Cb::QueryRows, kBf16, shapes.query_tiles},
        {Cb::Queries, kBf16, shapes.query_tiles},
        {Cb::KeyRows, kBf16, 2 * shapes.key_row_tiles()},
        {Cb::Keys, kBf16, shapes.block * shapes.query_tiles},
        {Cb::Masks, kBf16, 2},
        {Cb::Ones, kBf16, 1},
        {Cb::Scores, kFloat, shapes.block},
        {Cb::TileLargest, kBf16, 1},
        {Cb::RowLargest, kBf16, 1},
        {Cb::Largest, kFloat, 2},
        {Cb::Sums, kFloat, 2},
        {Cb::Outputs, kFloat, 2 * shapes.value_tiles},
        {Cb::Shrink, kFloat, 1},
        {Cb::ResultRows, kBf16, 2 * kStripTiles},
        {Cb::Weights, kBf16, shapes.block},
        {Cb::Partial, kFloat, shapes.partial_tiles()},
        {Cb::OwnPartial, kFloat, shapes.partial_tiles()},
        {Cb::PartialShrink, kFloat, 1},
    };
    if (shapes.has_values) {
        buffers.push_back({Cb::ValueRows, kBf16, 2 * shapes.value_tiles});
        buffers.push_back({Cb::Values, kBf16, shapes.block * shapes.value_tiles});
    }
    if (shapes.scale_tiles != 0) {
        buffers.push_back({Cb::CodeRows, DataFormat::Fp8_e4m3, 2 * shapes.value_tiles});
        buffers.push_back({Cb::Codes, kBf16, shapes.value_tiles});
        buffers.push_back({Cb::Scales, kFloat, 2 * shapes.scale_tiles});
    }
    return buffers;
}

/// Announcements to compute and writer come several to a unit.
constexpr std::uint32_t kAnnouncements = 4;
constexpr Cb kAnnouncing[]{Cb::Units, Cb::WriterUnits};

std::vector<Scratch> scratch_of(const Shapes& shapes) {
    // Positions, sequences and pages: 64 B of each list, the alignment of any device.
    return {{Cb::Detour, shapes.detour_bytes},
            {Cb::ListWords, 3 * 64},
            {Cb::SequenceWords, std::uint64_t{4} * shapes.page_words},
            {Cb::Chosen, std::uint64_t{4} * shapes.chosen_words},
            {Cb::ScaleWords, shapes.scale_tiles == 0 ? 0 : std::uint64_t{kTileRows} * kScaleSlot}};
}

}  // namespace

std::uint64_t buffer_bytes(const ArchSpec& arch, const Shapes& shapes) {
    // Scratch and announcements have no tile format and are counted in bytes.
    std::uint64_t bytes = bytes_of(scratch_of(shapes), dram_alignment(arch)) +
                          std::size(kAnnouncing) * kAnnouncements * kAnnouncement;
    for (const TileBuffer& buffer : tile_buffers(shapes)) {
        bytes += std::uint64_t{buffer.tiles} * tile_bytes(buffer.format);
    }
    return bytes;
}

void judge_buffers(const ArchSpec& arch, const Shapes& shapes, RuleJudge& judge) {
    // Buffers grow with `block` first, so that it is the key to change.
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
    config.named_compile_args =
        named(ComputeArgs{.query_tiles = shapes.query_tiles,
                          .value_tiles = shapes.value_tiles,
                          .block = shapes.block,
                          .scale = std::bit_cast<std::uint32_t>(static_cast<float>(shapes.scale)),
                          .has_values = shapes.has_values ? 1U : 0U,
                          .scale_tiles = shapes.scale_tiles});
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
                            {.pages = kAnnouncements, .page_bytes = kAnnouncement});
    }
    add_scratch(program, cores, scratch_of(shapes), dram_alignment(arch));
    CreateKernel(program, "ops/shared/attention/kernels/compute.cpp", cores, std::move(config));
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
            const std::function<void(std::size_t key, double weight)>& take) {
    std::vector<double> weights(count);
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t key = 0; key < count; ++key) {
        weights[key] = scale * score(key);
        largest = std::max(largest, weights[key]);
    }
    double sum = 0;
    for (double& weight : weights) {
        weight = std::exp(weight - largest);
        sum += weight;
    }
    for (std::size_t key = 0; key < count; ++key) {
        take(key, weights[key] / sum);
    }
}

}  // namespace tessera::ops::attention
