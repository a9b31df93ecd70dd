// SPDX-License-Identifier: Apache-2.0
// Host programs of fp8_grouped_matmul: extents in blocks, circular buffers, arguments of kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/fp8_grouped_matmul/fp8_grouped_matmul.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::fp8_grouped_matmul {

/// Tiles along each side of a block.
inline constexpr std::uint32_t kBlockTiles = fp8::kBlock / kTileColumns;

/// Extents in blocks, for which the kernels are compiled.
struct Blocks {
    std::uint32_t k_blocks;
    std::uint32_t n_blocks;
    std::uint32_t tile;
    std::uint32_t group;  // CTAs of a unit, at most
    std::uint32_t row_tiles;
    std::uint32_t chunk;
    std::uint32_t k_push;
    std::uint32_t scale_row_bytes;
    std::uint32_t scale_page_stride;
    std::uint32_t scale_pages;
    std::uint32_t table_bytes;
    std::uint32_t table_stride;  // a group list has one entry more than a table
    std::uint32_t banks;
    bool gathers;
    bool quantises;
    bool has_shards;  // of weights
};

/// Returns the extents of a call.
[[nodiscard]] Blocks blocks_of(const OpContext& context);

/// Returns the circular buffers of a core.
[[nodiscard]] std::vector<CbPlan> buffers_of(const Blocks& blocks, const GroupedMatmulSpec& spec);

/// Returns the program of the device at `position` of the group.
[[nodiscard]] Program make_program(const OpContext& context, std::size_t position);

}  // namespace tessera::ops::fp8_grouped_matmul
