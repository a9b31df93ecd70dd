// SPDX-License-Identifier: Apache-2.0
// The blocks that TTNN takes for a product whose in0 and output are height sharded in L1, where the
// caller names none.
// Source   tt-metal ttnn/cpp/ttnn/operations/matmul, matmul_program_config.cpp and
//          matmul_utilities.cpp: all of K is one block; a core's output is one block if what the
//          circular buffers are estimated to take fits beside the tensors, else the largest, then
//          squarest, of its parts that does.
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"
#include "tessera/subblock.hpp"

namespace tessera::score {

/// What one core has of a product, in tiles, and the bytes of a tile.
struct CoreProduct {
    std::uint32_t m = 0;
    std::uint32_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t tile_bytes = 0;
};

/// Rows and columns of the output that one pass over K makes: whole rows, or parts of one row, as
/// only those lie in a shard one after the other.
/// Errors   NotExpressible if not even one tile fits.
[[nodiscard]] Subblock ttnn_out_block(const ArchSpec& arch, const CoreProduct& product);

/// One row as wide as the block if that fits half of DST with 16 bits an element, else one tile.
[[nodiscard]] Subblock ttnn_sharded_subblock(const ArchSpec& arch, Subblock out_block);

}  // namespace tessera::score
