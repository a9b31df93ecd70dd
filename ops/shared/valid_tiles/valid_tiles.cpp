// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/valid_tiles/valid_tiles.hpp"

#include <algorithm>
#include <utility>

#include "emu/base/round_up.hpp"
#include "tessera/errors.hpp"
#include "tessera/work_split.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kBlockWords = 4;
constexpr std::uint32_t kCountFromReader = 0xFFFFFFFF;  // as kernels/block_count.hpp has it
constexpr std::uint32_t kBlockPages = 2;                // the reader may be one block ahead

// Returns the word by which a writer knows its blocks, as kernels/core_share.hpp has it.
std::uint32_t split_word(const SharedBlocks& work, const WriterSpec& spec) {
    constexpr std::uint32_t kSplitByReader = 2;
    return spec.reader_ends ? kSplitByReader : work.split_by == SplitBy::Device ? 1U : 0U;
}

/// The part of `units` that core `index` of `num_cores` takes: the first cores take one more.
struct Part {
    std::uint32_t first;
    std::uint32_t count;
};
Part part_of(std::uint32_t units, std::uint32_t num_cores, std::uint32_t index) {
    // The rule of split_work_to_cores: the kernels repeat it with the counts in device memory, so
    // that both ways give the same bytes.
    const std::uint32_t each = units / num_cores;
    const std::uint32_t rest = units % num_cores;
    return {index * each + std::min(index, rest), each + (index < rest ? 1 : 0)};
}

}  // namespace

void check_counts(std::string_view op, const RoutedTokens& counts, SplitBy split_by,
                  std::uint32_t num_tokens) {
    // With a split on the device the host knows no counts.
    if (split_by == SplitBy::Device) {
        return;
    }
    const std::uint32_t num_experts = counts.device.spec.shape.at(0);
    require(counts.host.size() == num_experts,
            "{}: num_routed_tokens has {} counts on the host; allowed: {}, one an expert", op,
            counts.host.size(), num_experts);
    for (std::uint32_t expert = 0; expert < num_experts; ++expert) {
        require(counts.host[expert] <= num_tokens,
                "{}: num_routed_tokens of expert {} is {}; allowed: at most {}, the rows of the "
                "tensor",
                op, expert, counts.host[expert], num_tokens);
    }
}

TokenTiles token_tiles_of(const Shape& shape) {
    return {shape.at(0), div_up(shape.at(1), kTileRows), div_up(shape.at(2), kTileColumns)};
}

// Only tiles with at least one token are computed.
std::uint32_t num_token_tiles(std::uint32_t num_tokens) {
    return div_up(num_tokens, kTileRows);
}

std::uint32_t num_valid_tiles(const TokenTiles& tiles, std::span<const std::uint32_t> counts) {
    std::uint32_t rows = 0;
    for (const std::uint32_t count : counts) {
        rows += num_token_tiles(count);
    }
    return rows * tiles.column_tiles;
}

std::uint32_t num_zero_tiles(const TokenTiles& tiles, std::span<const std::uint32_t> counts) {
    return tiles.num_experts * tiles.token_tiles * tiles.column_tiles -
           num_valid_tiles(tiles, counts);
}

SharedBlocks share_blocks(CoreCoord grid, BlockCounts counts, TileDistribution distribution) {
    // Without blocks there are still zeros to write, so that the cores are split by them.
    const auto [num_cores, cores, group_1, group_2, per_core_1, per_core_2] =
        split_work_to_cores(grid, counts.blocks > 0 ? counts.blocks : counts.zero_tiles);
    SharedBlocks work{cores, {}};
    for (const CoreCoord& core : corerange_to_cores(cores, num_cores)) {
        const auto index = static_cast<std::uint32_t>(work.shares.size());
        const Part blocks = part_of(counts.blocks, num_cores, index);
        const Part zeros = part_of(counts.zero_tiles, num_cores, index);
        BlockShare share{core, index, blocks.first, 1, blocks.count, zeros.first, zeros.count};
        // Round robin spreads neighbouring blocks over the cores; the other form gives each core a
        // run of them.
        if (distribution == TileDistribution::RoundRobin) {
            share.first = index;
            share.stride = num_cores;
        }
        work.shares.push_back(share);
    }
    return work;
}

SharedBlocks share_on_device(CoreCoord grid, TileDistribution distribution) {
    // Every core of the grid runs: how many have work is known only when their readers have seen
    // the counts. moe_v2 took 2 992 752 cycles so, and 3 152 226 with counts that the host reads
    // back.
    const std::uint32_t num_cores = grid.x * grid.y;
    const CoreRangeSet cores = num_cores_to_corerangeset(num_cores, grid);
    SharedBlocks work{cores, {}, SplitBy::Device, distribution};
    for (const CoreCoord& core : corerange_to_cores(cores, num_cores)) {
        work.shares.push_back(
            {.core = core, .index = static_cast<std::uint32_t>(work.shares.size())});
    }
    return work;
}

std::array<std::uint32_t, 3> SharedBlocks::reader_args(const BlockShare& share) const {
    if (split_by == SplitBy::Host) {
        return {share.first, share.stride, share.count};
    }
    return {share.index, static_cast<std::uint32_t>(shares.size()),
            distribution == TileDistribution::RoundRobin ? 1U : 0U};
}

std::array<std::uint32_t, 3> SharedBlocks::writer_args(const BlockShare& share) const {
    return split_by == SplitBy::Host ? std::array{share.count, share.first_zero, share.num_zeros}
                                     : reader_args(share);
}

// Returns the count from the reader: compute kernels cannot read DRAM.
std::uint32_t SharedBlocks::compute_count(const BlockShare& share) const {
    return split_by == SplitBy::Host ? share.count : kCountFromReader;
}

void add_tile_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index,
                     DataFormat format, std::uint32_t num_pages) {
    const std::uint32_t page = tile_bytes(format);
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(num_pages * page, {{index, format}}).set_page_size(index, page));
}

// Each count is a page and keeps its distance in L1.
void add_counts_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index,
                       const RoutedTokens& counts) {
    const Buffer& buffer = counts.device.buffer;
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(buffer.num_pages * buffer.aligned_page_size,
                                              {{index, DataFormat::UInt32}})
                             .set_page_size(index, buffer.aligned_page_size));
}

void add_blocks_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index) {
    constexpr std::uint32_t kPage = kBlockWords * sizeof(std::uint32_t);
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(kBlockPages * kPage, {{index, DataFormat::UInt32}})
                             .set_page_size(index, kPage));
}

void add_writer(Program& program, const SharedBlocks& work, const WriterSpec& spec,
                const DeviceTensor& output, const RoutedTokens& counts) {
    // The writer reads the counts by itself. A copy from the reader would need a semaphore, and the
    // read is short.
    add_counts_buffer(program, work.cores, kWriterCountsCb, counts);
    add_blocks_buffer(program, work.cores, kWriterBlocksCb);
    // One tile of zeros serves all tiles without tokens.
    add_tile_buffer(program, work.cores, kZeroTileCb, output.spec.format, 1);
    add_tile_buffer(program, work.cores, kOutputCb, output.spec.format,
                    spec.output_depth * spec.block.height * spec.block.width);

    std::vector<std::uint32_t> args{
        spec.tiles.num_experts,
        spec.tiles.token_tiles,
        spec.tiles.column_tiles,
        spec.block.height,
        spec.block.width,
        counts.device.buffer.aligned_page_size,
        split_word(work, spec),
        spec.others.cores.empty() ? 0U : static_cast<std::uint32_t>(spec.others.cores[0].size()),
        spec.others.ready,
        spec.others.arrived};
    TensorAccessorArgs(output.buffer).append_to(args);
    TensorAccessorArgs(counts.device.buffer).append_to(args);
    const KernelHandle writer = CreateKernel(program, "ops/shared/valid_tiles/kernels/writer.cpp",
                                             work.cores, WriterDataMovementConfig(std::move(args)));
    for (std::size_t i = 0; i < work.shares.size(); ++i) {
        const auto split = work.writer_args(work.shares[i]);
        std::vector<std::uint32_t> runtime_args{output.buffer.address, counts.device.buffer.address,
                                                split[0], split[1], split[2]};
        if (!spec.others.cores.empty()) {
            for (const CoreCoord core : spec.others.cores[i]) {
                runtime_args.insert(runtime_args.end(), {core.x, core.y});
            }
        }
        SetRuntimeArgs(program, writer, work.shares[i].core, std::move(runtime_args));
    }
}

}  // namespace tessera::ops
