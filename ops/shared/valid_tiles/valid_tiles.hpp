// SPDX-License-Identifier: Apache-2.0
// Work on (E/D,T,H) tensors of which each expert uses only its first num_routed_tokens rows: tiles
// that hold tokens, their distribution, and the writer that leaves zeros everywhere else.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/shared/valid_tiles/kernels/args.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/program.hpp"
#include "tessera/subblock.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Output tiles of a core: contiguous ranges, or one per core in turn.
enum class TileDistribution : std::uint8_t { Block, RoundRobin };

/// Distributor of the tiles that hold tokens: each core, from the counts in device memory, or the
/// host, which must read them back before each launch.
enum class SplitBy : std::uint8_t { Device, Host };

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::TileDistribution>{
    EnumName<ops::TileDistribution>{"block", ops::TileDistribution::Block},
    EnumName<ops::TileDistribution>{"round_robin", ops::TileDistribution::RoundRobin},
};

template <>
inline constexpr std::array kEnumNames<ops::SplitBy>{
    EnumName<ops::SplitBy>{"device", ops::SplitBy::Device},
    EnumName<ops::SplitBy>{"host", ops::SplitBy::Host},
};

}  // namespace tessera::config

namespace tessera::ops {

inline constexpr const char* kSplitByProse =
    "device: cores compute their shares from the counts in device memory; host: the host reads the "
    "counts before the launch";

/// The counts of routed tokens, in device memory for kernels and as the host read them back.
struct RoutedTokens {
    const DeviceTensor& device;           ///< (E/D,1) uint32 ROW_MAJOR
    std::span<const std::uint32_t> host;  ///< (E/D), the same values; empty with SplitBy::Device
};

/// Checks the counts by which the host splits work.
/// Errors   with SplitBy::Host, UsageError unless the host has one count for each expert of the
///          device's, none above `num_tokens`.
void check_counts(std::string_view op, const RoutedTokens& counts, SplitBy split_by,
                  std::uint32_t num_tokens);

/// Tiles of a (E/D,T,H) tensor in TILE layout.
struct TokenTiles {
    std::uint32_t num_experts = 0;
    std::uint32_t token_tiles = 0;   ///< rows of tiles of one expert
    std::uint32_t column_tiles = 0;  ///< tiles of one row
};
[[nodiscard]] TokenTiles token_tiles_of(const Shape& shape);

/// Returns the rows of tiles that hold `num_tokens` tokens: ceil(num_tokens / 32).
[[nodiscard]] std::uint32_t num_token_tiles(std::uint32_t num_tokens);
/// Returns the number of tiles that hold tokens.
[[nodiscard]] std::uint32_t num_valid_tiles(const TokenTiles& tiles,
                                            std::span<const std::uint32_t> counts);
/// Returns the number of tiles without tokens.
[[nodiscard]] std::uint32_t num_zero_tiles(const TokenTiles& tiles,
                                           std::span<const std::uint32_t> counts);

/// One core's share: blocks first, first + stride, … and zero tiles [first_zero, first_zero +
/// num_zeros), counted over all experts in order.
struct BlockShare {
    CoreCoord core;
    std::uint32_t index = 0;  ///< index of the core in the order of distribution
    std::uint32_t first = 0;
    std::uint32_t stride = 1;
    std::uint32_t count = 0;
    std::uint32_t first_zero = 0;
    std::uint32_t num_zeros = 0;
};
struct SharedBlocks {
    CoreRangeSet cores;
    std::vector<BlockShare> shares;
    SplitBy split_by = SplitBy::Host;
    TileDistribution distribution = TileDistribution::Block;

    /// Returns how the kernels of a core obtain their blocks.
    [[nodiscard]] valid_tiles::SplitArgs split_args() const;
    /// Returns the words of HostBlocks, or with SplitBy::Device those of CoreOfGrid.
    [[nodiscard]] std::vector<std::uint32_t> reader_args(const BlockShare& share) const;
    /// Returns the words of HostTiles, or with SplitBy::Device those of CoreOfGrid.
    [[nodiscard]] std::vector<std::uint32_t> writer_args(const BlockShare& share) const;
    /// Returns the number of blocks for compute, which the host or its reader gives it.
    [[nodiscard]] valid_tiles::BlockCount compute_args(const BlockShare& share) const;
};

/// Units of one launch.
struct BlockCounts {
    std::uint32_t blocks = 0;
    std::uint32_t zero_tiles = 0;
};

/// Distributes blocks over the first cores of `grid` with split_work_to_cores: contiguous ranges
/// (Block), or one block per core in turn (RoundRobin). The same cores write the zero tiles in
/// equal contiguous shares; without any block, as many cores of the grid as there are tiles.
[[nodiscard]] SharedBlocks share_blocks(CoreCoord grid, BlockCounts counts,
                                        TileDistribution distribution);
/// Returns the shares of cores that read the counts themselves: all cores of `grid` take part, and
/// those without a share detect that.
[[nodiscard]] SharedBlocks share_on_device(CoreCoord grid, TileDistribution distribution);

/// The cores that have parts of the sums of each block that a core writes.
struct OtherParts {
    /// By share: NoC coordinates of the cores of each other part of K.
    std::vector<std::vector<CoreCoord>> cores;
    std::uint32_t ready = 0;    ///< semaphore that requests the next block from them
    std::uint32_t arrived = 0;  ///< semaphore that counts their answers
};

/// Properties of a program that the common writer needs.
struct WriterSpec {
    TokenTiles tiles;
    Subblock block{1, 1};            ///< its tiles are the pages of one push into the output buffer
    std::uint32_t output_depth = 2;  ///< blocks the output buffer holds
    OtherParts others = {};
    bool reader_ends = false;  ///< the reader tells the writer of its last block; all cores share
                               ///< the tiles without tokens
};

/// Adds the circular buffers that feed the writer, and the writer with its arguments.
///
/// For each block the reader pushes one page into Cb::WriterBlocks: first output tile, rows and
/// columns of tiles, tokens from the block's first row on. The writer clears rows after the last
/// token, so that garbage in padding rows of the inputs ends here.
void add_writer(Program& program, const SharedBlocks& work, const WriterSpec& spec,
                const DeviceTensor& output, const RoutedTokens& counts);

/// Returns TileArgs and CountArgs.
[[nodiscard]] NamedCompileArgs tile_args(const TokenTiles& tiles, const RoutedTokens& counts);
[[nodiscard]] valid_tiles::BlockArgs block_args(Subblock block);

/// Adds a buffer of `num_pages` pages of a tile of `format`.
void add_tile_buffer(Program& program, const CoreRangeSet& cores, valid_tiles::Cb cb,
                     DataFormat format, std::uint32_t num_pages);
/// Adds the scratch that holds the counts. Each count has the distance of its page in DRAM, so that
/// source and destination of every read have the same alignment.
void add_counts_buffer(Program& program, const CoreRangeSet& cores, valid_tiles::Cb cb,
                       const RoutedTokens& counts);
/// Adds a buffer of descriptions of blocks.
void add_blocks_buffer(Program& program, const CoreRangeSet& cores, valid_tiles::Cb cb);

}  // namespace tessera::ops
