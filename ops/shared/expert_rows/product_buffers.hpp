// SPDX-License-Identifier: Apache-2.0
// Extents of a product of expert rows in tiles, and the circular buffers of its cores.
#pragma once

#include <cstdint>

#include "ops/shared/expert_rows/expert_product.hpp"
#include "tessera/program.hpp"

namespace tessera::ops {

/// Extents in tiles.
struct ProductTiles {
    std::uint32_t k;
    std::uint32_t n;
    std::uint32_t chunks;  ///< chunks of K in tilizing
    std::uint32_t strips;  ///< strips of N
};

[[nodiscard]] ProductTiles tiles_of(std::uint32_t k_tiles, std::uint32_t n,
                                    const ProductSchedule& schedule);

/// Returns the form of scales, zero points and biases of a call.
[[nodiscard]] ScaleShape scales_of(const ExpertProduct& product);

/// Returns the K tiles of rows and weights: packed weights have pairs of them.
[[nodiscard]] std::uint32_t inner_tiles(const Shape& weights, const ScaleShape& scales);

/// Returns the K tiles that share a scale.
[[nodiscard]] std::uint32_t scale_tiles(const ScaleShape& scales, std::uint32_t k_tiles);

/// Returns the K tiles of one sum.
[[nodiscard]] std::uint32_t block_tiles(const ScaleShape& scales, std::uint32_t k_tiles,
                                        const ProductSchedule& schedule);

/// Returns the sorted tiles of a K tile of rows: with packed weights, two if half of a tile shares a
/// scale.
[[nodiscard]] std::uint32_t sorted_each(const ScaleShape& scales, std::uint32_t k_tiles,
                                        const ProductSchedule& schedule);

/// Tiles of DST for the sums of a unit, less one for scales or a bias, if there are any.
struct DstSums {
    std::uint32_t tiles = 0;
    /// Otherwise half of DST is packed while the other half takes the sums of the next unit.
    bool takes_all = false;
};
/// Returns them for units of `tile_rows`: more than half of DST holds take all of it. A longer wait
/// for the packer costs less than a second read of weights.
[[nodiscard]] DstSums sums_in_dst(const ArchSpec& arch, const ScaleShape& scales, bool is_weighted,
                                  std::uint32_t tile_rows = 1);

/// Adds the circular buffers of reader, compute and writer. `alignment` is that of DRAM, in bytes.
void add_product_buffers(Program& program, const CoreRangeSet& cores, const ExpertProduct& product,
                         const ProductTiles& tiles, const ProductSchedule& schedule,
                         std::uint32_t alignment);

/// Returns an upper bound of the bytes of L1 that these buffers take on a core. `num_blocks`: those of
/// the list; 0 with batches.
[[nodiscard]] std::uint64_t product_buffer_bytes(const ArchSpec& arch, std::uint32_t k_tiles,
                                                 DataFormat weights, const ScaleShape& scales,
                                                 const ProductSchedule& schedule,
                                                 std::uint32_t num_blocks);

}  // namespace tessera::ops
