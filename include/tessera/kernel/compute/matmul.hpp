// SPDX-License-Identifier: Apache-2.0
// Tile products. The first operand is unpacked to SrcB and the second to SrcA. Lower fidelities
// drop different bits of the two registers (tt-isa-documentation, MVMUL).
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace ckernel {

/// Configures all units and arms matmul_tiles; `transpose` transposes tiles of the second operand.
void mm_init(std::uint32_t in0_cb_id = 0, std::uint32_t in1_cb_id = 1, std::uint32_t out_cb_id = 16,
             std::uint32_t transpose = 0, CallSite site = CallSite::here());
/// Arms matmul_tiles. Does not change formats.
void mm_init_short(std::uint32_t in0_cb_id = 0, std::uint32_t in1_cb_id = 1,
                   std::uint32_t transpose = 0, CallSite site = CallSite::here());
/// Does the same as mm_init_short, and gives SrcA the format of the second operand.
void mm_init_short_with_dt(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                           std::uint32_t c_in_old_srca, std::uint32_t transpose = 0,
                           CallSite site = CallSite::here());
/// Does the same as mm_init_short, under its name since tt-metal #46346.
/// compute_kernel_hw_startup<SrcOrder::Reverse> configures the formats.
void matmul_init(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t transpose = 0,
                 CallSite site = CallSite::here());

/// Do the same for matmul_block, with ct × rt output tiles and kt tiles in a row of the first
/// operand's block.
void mm_block_init(std::uint32_t in0_cb_id = 0, std::uint32_t in1_cb_id = 1,
                   std::uint32_t out_cb_id = 16, std::uint32_t transpose = 0,
                   std::uint32_t ct_dim = 1, std::uint32_t rt_dim = 1, std::uint32_t kt_dim = 1,
                   CallSite site = CallSite::here());
void mm_block_init_short(std::uint32_t in0_cb_id = 0, std::uint32_t in1_cb_id = 1,
                         std::uint32_t transpose = 0, std::uint32_t ct_dim = 1,
                         std::uint32_t rt_dim = 1, std::uint32_t kt_dim = 1,
                         CallSite site = CallSite::here());
void mm_block_init_short_with_dt(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                                 std::uint32_t old_in1_cb_id, std::uint32_t transpose = 0,
                                 std::uint32_t ct_dim = 1, std::uint32_t rt_dim = 1,
                                 std::uint32_t kt_dim = 1, CallSite site = CallSite::here());
void mm_block_init_short_with_both_dt(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                                      std::uint32_t old_in0_cb_id, std::uint32_t old_in1_cb_id,
                                      std::uint32_t transpose = 0, std::uint32_t ct_dim = 1,
                                      std::uint32_t rt_dim = 1, std::uint32_t kt_dim = 1,
                                      CallSite site = CallSite::here());
template <bool row_mop = false>
void matmul_block_init(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                       std::uint32_t transpose = 0, std::uint32_t ct_dim = 1,
                       std::uint32_t rt_dim = 1, std::uint32_t kt_dim = 1,
                       CallSite site = CallSite::here()) {
    mm_block_init_short(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, site);
}

/// DST[idst] += in0[in0_tile_index] · in1[in1_tile_index].
///
/// Shapes   three 32×32 tiles.
/// Numeric  operands sliced by the kernel's MathFidelity; the sum is fp32, or rounded to bf16
///          after every 16 products in a 16-bit DST.
/// Errors   UndefinedBehavior if the last init armed something else, DST is not acquired, or an
///          operand tile was not granted by cb_wait_front.
void matmul_tiles(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t in0_tile_index,
                  std::uint32_t in1_tile_index, std::uint32_t idst,
                  CallSite site = CallSite::here());
/// Does the same, in an older form of the call.
/// Errors   UndefinedBehavior if `transpose` differs from the argument of the init.
void matmul_tiles(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t in0_tile_index,
                  std::uint32_t in1_tile_index, std::uint32_t idst, std::uint32_t transpose,
                  CallSite site = CallSite::here());

/// Computes one k step of a block: DST[idst + r·ct + c] += in0[in0_tile_index + r·kt] ·
/// in1[in1_tile_index + c] for r < rt, c < ct.
void matmul_block(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id, std::uint32_t in0_tile_index,
                  std::uint32_t in1_tile_index, std::uint32_t idst, std::uint32_t transpose,
                  std::uint32_t ct_dim, std::uint32_t rt_dim, std::uint32_t kt_dim,
                  CallSite site = CallSite::here());

}  // namespace ckernel
