// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/valid_tiles/valid_tiles.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "emu/base/round_up.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/errors.hpp"
#include "tessera/work_split.hpp"

namespace tessera::ops {
namespace {

using valid_tiles::Cb;
using valid_tiles::Split;

constexpr std::uint32_t kBlockPages = 2;  // the reader may be one block ahead

constexpr valid_tiles::SplitArgs split_by(Split split) {
    return {.split = static_cast<std::uint32_t>(split)};
}

/// The part of `units` that core `index` of `num_cores` takes: the first cores take one more.
struct Part {
    std::uint32_t first;
    std::uint32_t count;
};
Part part_of(std::uint32_t units, std::uint32_t num_cores, std::uint32_t index) {
    // The rule of split_work_to_cores: the kernels repeat it with the counts in device memory, so
    // both ways give the same bytes.
    const std::uint32_t each = units / num_cores;
    const std::uint32_t rest = units % num_cores;
    return {index * each + std::min(index, rest), each + (index < rest ? 1 : 0)};
}

}  // namespace

void check_counts(std::string_view op, const RoutedTokens& counts, SplitBy split_by,
                  std::uint32_t num_tokens) {
    // With a split on the device, the host does not know the counts.
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
    // Without blocks there are still zeros to write, so the cores share those.
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
    // Every core of the grid runs: how many have work is known only when their readers have read
    // the counts. moe_v2 took 2 992 752 cycles with this rule, and 3 152 226 with counts that the
    // host reads back.
    const std::uint32_t num_cores = grid.x * grid.y;
    const CoreRangeSet cores = num_cores_to_corerangeset(num_cores, grid);
    SharedBlocks work{cores, {}, SplitBy::Device, distribution};
    for (const CoreCoord& core : corerange_to_cores(cores, num_cores)) {
        work.shares.push_back(
            {.core = core, .index = static_cast<std::uint32_t>(work.shares.size())});
    }
    return work;
}

valid_tiles::SplitArgs SharedBlocks::split_args() const {
    return ops::split_by(split_by == SplitBy::Device ? Split::ByCore : Split::ByHost);
}

std::vector<std::uint32_t> SharedBlocks::reader_args(const BlockShare& share) const {
    if (split_by == SplitBy::Host) {
        return words_of(valid_tiles::HostBlocks{
            .first = share.first, .stride = share.stride, .count = share.count});
    }
    return words_of(valid_tiles::CoreOfGrid{
        .index = share.index,
        .num_cores = static_cast<std::uint32_t>(shares.size()),
        .round_robin = distribution == TileDistribution::RoundRobin ? 1U : 0U});
}

std::vector<std::uint32_t> SharedBlocks::writer_args(const BlockShare& share) const {
    return split_by == SplitBy::Host
               ? words_of(valid_tiles::HostTiles{.num_blocks = share.count,
                                                 .first_zero = share.first_zero,
                                                 .num_zeros = share.num_zeros})
               : reader_args(share);
}

// Returns the count from the reader: compute kernels cannot read DRAM.
valid_tiles::BlockCount SharedBlocks::compute_args(const BlockShare& share) const {
    return {.num_blocks = split_by == SplitBy::Host ? share.count : valid_tiles::kCountFromReader};
}

NamedCompileArgs tile_args(const TokenTiles& tiles, const RoutedTokens& counts) {
    return named(valid_tiles::TileArgs{.num_experts = tiles.num_experts,
                                       .token_tiles = tiles.token_tiles,
                                       .column_tiles = tiles.column_tiles},
                 valid_tiles::CountArgs{.counts_stride = counts.device.buffer.aligned_page_size});
}

valid_tiles::BlockArgs block_args(Subblock block) {
    return {.block_height = block.height, .block_width = block.width};
}

void add_tile_buffer(Program& program, const CoreRangeSet& cores, Cb cb, DataFormat format,
                     std::uint32_t num_pages) {
    add_circular_buffer(program, cores, cb, format, {num_pages, tile_bytes(format)});
}

// Each count is a page and keeps its distance in L1.
void add_counts_buffer(Program& program, const CoreRangeSet& cores, Cb cb,
                       const RoutedTokens& counts) {
    const Buffer& buffer = counts.device.buffer;
    add_circular_buffer(program, cores, cb, DataFormat::UInt32,
                        {buffer.num_pages, buffer.aligned_page_size});
}

void add_blocks_buffer(Program& program, const CoreRangeSet& cores, Cb cb) {
    add_circular_buffer(program, cores, cb, DataFormat::UInt32,
                        {kBlockPages, valid_tiles::kBlockWords * sizeof(std::uint32_t)});
}

void add_writer(Program& program, const SharedBlocks& work, const WriterSpec& spec,
                const DeviceTensor& output, const RoutedTokens& counts) {
    // The writer reads the counts by itself. A copy from the reader would need a semaphore, and the
    // read is short.
    add_counts_buffer(program, work.cores, Cb::WriterCounts, counts);
    add_blocks_buffer(program, work.cores, Cb::WriterBlocks);
    // One tile of zeros serves all tiles without tokens.
    add_tile_buffer(program, work.cores, Cb::ZeroTile, output.spec.format, 1);
    add_tile_buffer(program, work.cores, Cb::Output, output.spec.format,
                    spec.output_depth * spec.block.height * spec.block.width);

    const std::vector<std::vector<CoreCoord>>& others = spec.others.cores;
    const valid_tiles::PartArgs parts{
        .num_parts = others.empty() ? 0U : static_cast<std::uint32_t>(others[0].size()),
        .ready_semaphore = spec.others.ready,
        .arrived_semaphore = spec.others.arrived};
    const valid_tiles::WriterTensors tensors{.output = &output.buffer,
                                             .counts = &counts.device.buffer};
    const auto args =
        named(tile_args(spec.tiles, counts), block_args(spec.block),
              spec.reader_ends ? split_by(Split::ByReader) : work.split_args(), parts);
    const KernelHandle writer = CreateKernel(program, "ops/shared/valid_tiles/kernels/writer.cpp",
                                             work.cores, writer_config(args, tensors));
    for (std::size_t i = 0; i < work.shares.size(); ++i) {
        std::vector<std::uint32_t> cores;
        for (const CoreCoord core : others.empty() ? std::vector<CoreCoord>{} : others[i]) {
            std::ranges::copy(words_of(valid_tiles::PartCore{.x = core.x, .y = core.y}),
                              std::back_inserter(cores));
        }
        set_args(program, writer, work.shares[i].core, addresses_of(tensors),
                 work.writer_args(work.shares[i]), cores);
    }
}

}  // namespace tessera::ops
