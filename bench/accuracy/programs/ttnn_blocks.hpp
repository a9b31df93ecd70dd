// SPDX-License-Identifier: Apache-2.0
// TTNN's default blocks of a product whose in0 and output are height-sharded in L1.
// Source   tt-metal ttnn/cpp/ttnn/operations/matmul, matmul_program_config.cpp and
//          matmul_utilities.cpp: all of K is one block. A core's output is one block if the
//          estimated CBs fit beside the tensors, else the largest, then squarest, part that fits.
#pragma once

#include <cstdint>

#include "tessera/arch_spec.hpp"
#include "tessera/subblock.hpp"

namespace tessera::score {

/// One core's part of a product in tiles, and the bytes of a tile.
struct CoreProduct {
    std::uint32_t m = 0;
    std::uint32_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t tile_bytes = 0;
};

/// Returns rows and columns of the output that one pass over K computes: whole rows, or a part of
/// one row. Only these are contiguous in a shard.
/// Errors   NotExpressible if not even one tile fits.
[[nodiscard]] Subblock ttnn_out_block(const ArchSpec& arch, const CoreProduct& product);

/// Returns one row as wide as the block if that fits half of a 16-bit DST, else one tile.
[[nodiscard]] Subblock ttnn_sharded_subblock(const ArchSpec& arch, Subblock out_block);

}  // namespace tessera::score
