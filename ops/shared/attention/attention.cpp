// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/attention/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops::attention {
namespace {

constexpr std::uint32_t kStripTiles = 4;
constexpr std::uint32_t kAnnouncement = 64;  // bytes
constexpr std::uint32_t kScaleSlot = 128;    // of a key's scales, and of what aligns their read

struct TileBuffer {
    std::uint8_t index;
    DataFormat format;
    std::uint32_t tiles;
};

/// As the kernels number them.
std::vector<TileBuffer> tile_buffers(const Shapes& shapes) {
    constexpr auto kBf16 = DataFormat::Float16_b;
    constexpr auto kFloat = DataFormat::Float32;
    std::vector<TileBuffer> buffers{
        {0, kBf16, shapes.query_tiles},                 // rows of queries
        {1, kBf16, shapes.query_tiles},                 // queries
        {2, kBf16, 2 * shapes.key_row_tiles()},         // rows of keys
        {3, kBf16, shapes.block * shapes.query_tiles},  // keys
        {7, kBf16, 2},                                  // masks
        {8, kBf16, 1},                                  // ones
        {9, kFloat, shapes.block},                      // scores
        {10, kBf16, 1},                                 // largest of each column of tiles
        {11, kBf16, 1},                                 // largest of each row
        {12, kFloat, 2},                                // running maximum
        {13, kFloat, 2},                                // running sum
        {14, kFloat, 2 * shapes.value_tiles},           // running output
        {15, kFloat, 1},                                // shrink
        {16, kBf16, 2 * kStripTiles},                   // rows of the result
        {17, kBf16, shapes.block},                      // weights
        {18, kFloat, shapes.partial_tiles()},           // sums of another core
        {19, kFloat, shapes.partial_tiles()},           // own sums for another core
        {20, kFloat, 1},                                // shrink of another core's
    };
    if (shapes.has_values) {
        buffers.push_back({4, kBf16, 2 * shapes.value_tiles});
        buffers.push_back({5, kBf16, shapes.block * shapes.value_tiles});
    }
    if (shapes.scale_tiles != 0) {
        buffers.push_back({26, DataFormat::Fp8_e4m3, 2 * shapes.value_tiles});  // rows of codes
        buffers.push_back({27, kBf16, shapes.value_tiles});                     // codes
        buffers.push_back({28, kFloat, 2 * shapes.scale_tiles});                // in column 0
    }
    return buffers;
}

/// Announcements to compute and writer come several to a unit.
constexpr std::pair<std::uint8_t, std::uint32_t> kAnnouncements[]{{6, 4}, {21, 4}};

std::vector<Scratch> scratch_of(const Shapes& shapes) {
    return {{22, shapes.detour_bytes},
            {23, 3 * 64},
            {24, std::uint64_t{4} * shapes.page_words},
            {25, std::uint64_t{4} * shapes.chosen_words},
            {29, shapes.scale_tiles == 0 ? 0 : std::uint64_t{kTileRows} * kScaleSlot}};
}

}  // namespace

std::uint64_t buffer_bytes(const ArchSpec& arch, const Shapes& shapes) {
    std::uint64_t bytes = bytes_of(scratch_of(shapes), dram_alignment(arch)) + 8 * kAnnouncement;
    for (const TileBuffer& buffer : tile_buffers(shapes)) {
        bytes += std::uint64_t{buffer.tiles} * tile_bytes(buffer.format);
    }
    return bytes;
}

void judge_buffers(const ArchSpec& arch, const Shapes& shapes, RuleJudge& judge) {
    const std::uint64_t bytes = buffer_bytes(arch, shapes);
    judge.require(bytes <= buffer_room(arch), "block",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              shapes.block, bytes, buffer_room(arch)));
}

void add_compute(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                 const Shapes& shapes) {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    config.compile_args = {shapes.query_tiles,
                           shapes.value_tiles,
                           shapes.block,
                           std::bit_cast<std::uint32_t>(static_cast<float>(shapes.scale)),
                           shapes.has_values ? 1U : 0U,
                           shapes.scale_tiles};
    config.unpack_to_dest_mode.assign(32, UnpackToDestMode::Default);
    for (const TileBuffer& buffer : tile_buffers(shapes)) {
        const std::uint32_t page = tile_bytes(buffer.format);
        CreateCircularBuffer(
            program, cores,
            CircularBufferConfig(page * buffer.tiles, {{buffer.index, buffer.format}})
                .set_page_size(buffer.index, page));
        if (buffer.format == DataFormat::Float32) {
            config.unpack_to_dest_mode[buffer.index] = UnpackToDestMode::UnpackToDestFp32;
        }
    }
    for (const auto& [index, pages] : kAnnouncements) {
        CreateCircularBuffer(
            program, cores,
            CircularBufferConfig(pages * kAnnouncement, {{index, DataFormat::UInt32}})
                .set_page_size(index, kAnnouncement));
    }
    add_scratch(program, cores, scratch_of(shapes), dram_alignment(arch));
    CreateKernel(program, "ops/shared/attention/kernels/compute.cpp", cores, std::move(config));
}

KernelHandle add_writer(Program& program, const CoreRangeSet& cores, const Shapes& shapes,
                        const DeviceTensor& output, Handshake handshake) {
    std::vector<std::uint32_t> args{2 * row_length(output.spec.shape), handshake.room,
                                    handshake.arrived, shapes.partial_tiles()};
    append_accessors({&output}, args);
    return CreateKernel(program, "ops/shared/attention/kernels/writer.cpp", cores,
                        WriterDataMovementConfig(std::move(args)));
}

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
