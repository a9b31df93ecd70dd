// SPDX-License-Identifier: Apache-2.0
// Product of a width-sharded row of tiles with a matrix in DRAM.
#pragma once

#include "bench/accuracy/bench.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::score {

/// Extents in tiles; all tensors are bfloat16.
struct ShardProduct {
    std::uint32_t k = 0;
    std::uint32_t n = 0;
    std::uint32_t holders = 0;    ///< cores that hold a shard of in0
    GridSize grid;                ///< grid whose first cores, row by row, are the holders
    bool is_out_sharded = false;  ///< else interleaved in L1
};

/// Runs TTNN's choice for such an in0. One K block is one shard. Its holder multicasts it to the
/// rectangle around all cores with work. Each core reads its own columns of in1 and accumulates
/// partial sums in the packer.
/// Source   tt-metal ttnn matmul_program_config.cpp (get_matmul_program_config, WIDTH_SHARDED),
///          matmul_multicore_reuse_mcast_1d_program_factory.cpp (mcast_in0 with a sharded in0).
/// Errors   NotExpressible if shards are not whole tiles.
[[nodiscard]] Replays run_shard_product(Bench& bench, const ShardProduct& product);

}  // namespace tessera::score
