// SPDX-License-Identifier: Apache-2.0
// The product of a row of tiles that cores hold by columns with a matrix in DRAM.
#pragma once

#include "bench/accuracy/bench.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::score {

/// Extents in tiles; all tensors are bfloat16.
struct ShardProduct {
    std::uint32_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t holders = 0;    ///< cores that hold a shard of in0 each
    GridSize grid;                ///< whose first cores, row by row, these are
    bool is_out_sharded = false;  ///< columns stay where they were computed, else interleaved in L1
};

/// TTNN's own choice for such an in0: one K block a shard, which its holder multicasts to the
/// rectangle around all cores with work; each of these reads its own columns of in1, and adds up
/// partial sums in the packer.
/// Source   tt-metal ttnn matmul_program_config.cpp (get_matmul_program_config, WIDTH_SHARDED),
///          matmul_multicore_reuse_mcast_1d_program_factory.cpp (mcast_in0 with a sharded in0).
/// Errors   NotExpressible if shards are no whole tiles.
[[nodiscard]] Replays run_shard_product(Bench& bench, const ShardProduct& product);

}  // namespace tessera::score
