// SPDX-License-Identifier: Apache-2.0
// Element-wise operations whose second operand is broadcast: row 0 to all rows (ROW), column 0 to
// all columns (COL), or element [0][0] to all (SCALAR). Values elsewhere in the tile are ignored.
#pragma once

#include "tessera/kernel/compute/eltwise_binary.hpp"
#include "tessera/kernel/compute/init.hpp"

namespace tessera::kernel {
void arm_unary_broadcast(ckernel::BroadcastType dim, const char* call, CallSite site);
void unary_broadcast(ckernel::BroadcastType dim, std::uint32_t icb, std::uint32_t itile,
                     std::uint32_t idst, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

/// Configures all units and arms any_tiles_bcast of the same template arguments.
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
void init_bcast(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t ocb = 16,
                CallSite site = CallSite::here()) {
    tessera::kernel::configure_units(icb0, icb1, ocb, "init_bcast", site);
    tessera::kernel::arm_eltwise(tBcastOp, tBcastDim, tessera::kernel::Accumulation::Replace,
                                 "init_bcast", site);
}

/// DST[idst] = icb0[itile0] ∘ broadcast(icb1[itile1]); mul adds to DST. A broadcast of rows uses
/// row `bcast_row_idx` of the tile.
template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
void any_tiles_bcast(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                     std::uint32_t itile1, std::uint32_t idst, std::uint32_t bcast_row_idx = 0,
                     CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(tBcastOp, tBcastDim, icb0, icb1, itile0, itile1, idst,
                             "any_tiles_bcast", site, bcast_row_idx);
}
template <BroadcastType tBcastDim>
void add_tiles_bcast(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                     std::uint32_t itile1, std::uint32_t idst, std::uint32_t bcast_row_idx = 0,
                     CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWADD, tBcastDim, icb0, icb1, itile0, itile1, idst, "add_tiles_bcast",
                             site, bcast_row_idx);
}
template <BroadcastType tBcastDim>
void sub_tiles_bcast(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                     std::uint32_t itile1, std::uint32_t idst, std::uint32_t bcast_row_idx = 0,
                     CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWSUB, tBcastDim, icb0, icb1, itile0, itile1, idst, "sub_tiles_bcast",
                             site, bcast_row_idx);
}
template <BroadcastType tBcastDim>
void mul_tiles_bcast(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                     std::uint32_t itile1, std::uint32_t idst, std::uint32_t bcast_row_idx = 0,
                     CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWMUL, tBcastDim, icb0, icb1, itile0, itile1, idst, "mul_tiles_bcast",
                             site, bcast_row_idx);
}

// One function per operation and dimension.
inline void add_tiles_bcast_rows(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                 std::uint32_t itile1, std::uint32_t idst,
                                 std::uint32_t bcast_row_idx = 0,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWADD, BroadcastType::ROW, icb0, icb1, itile0, itile1, idst,
                             "add_tiles_bcast_rows", site, bcast_row_idx);
}
inline void add_tiles_bcast_cols(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                 std::uint32_t itile1, std::uint32_t idst,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWADD, BroadcastType::COL, icb0, icb1, itile0, itile1, idst,
                             "add_tiles_bcast_cols", site);
}
inline void add_tiles_bcast_scalar(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                   std::uint32_t itile1, std::uint32_t idst,
                                   CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWADD, BroadcastType::SCALAR, icb0, icb1, itile0, itile1, idst,
                             "add_tiles_bcast_scalar", site);
}
inline void sub_tiles_bcast_rows(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                 std::uint32_t itile1, std::uint32_t idst,
                                 std::uint32_t bcast_row_idx = 0,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWSUB, BroadcastType::ROW, icb0, icb1, itile0, itile1, idst,
                             "sub_tiles_bcast_rows", site, bcast_row_idx);
}
inline void sub_tiles_bcast_cols(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                 std::uint32_t itile1, std::uint32_t idst,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWSUB, BroadcastType::COL, icb0, icb1, itile0, itile1, idst,
                             "sub_tiles_bcast_cols", site);
}
inline void sub_tiles_bcast_scalar(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                   std::uint32_t itile1, std::uint32_t idst,
                                   CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWSUB, BroadcastType::SCALAR, icb0, icb1, itile0, itile1, idst,
                             "sub_tiles_bcast_scalar", site);
}
inline void mul_tiles_bcast_rows(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                 std::uint32_t itile1, std::uint32_t idst,
                                 std::uint32_t bcast_row_idx = 0,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWMUL, BroadcastType::ROW, icb0, icb1, itile0, itile1, idst,
                             "mul_tiles_bcast_rows", site, bcast_row_idx);
}
inline void mul_tiles_bcast_cols(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                 std::uint32_t itile1, std::uint32_t idst,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWMUL, BroadcastType::COL, icb0, icb1, itile0, itile1, idst,
                             "mul_tiles_bcast_cols", site);
}
inline void mul_tiles_bcast_scalar(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                   std::uint32_t itile1, std::uint32_t idst,
                                   CallSite site = CallSite::here()) {
    tessera::kernel::eltwise(ELWMUL, BroadcastType::SCALAR, icb0, icb1, itile0, itile1, idst,
                             "mul_tiles_bcast_scalar", site);
}

/// Arm the function of the same name. Do not change formats.
inline void add_bcast_rows_init_short(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                                      CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWADD, BroadcastType::ROW, tessera::kernel::Accumulation::Replace,
                                 "add_bcast_rows_init_short", site);
}
inline void add_bcast_cols_init_short(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                                      CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWADD, BroadcastType::COL, tessera::kernel::Accumulation::Replace,
                                 "add_bcast_cols_init_short", site);
}
inline void add_bcast_scalar_init_short(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                                        CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWADD, BroadcastType::SCALAR,
                                 tessera::kernel::Accumulation::Replace,
                                 "add_bcast_scalar_init_short", site);
}
inline void sub_bcast_rows_init_short(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                                      CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWSUB, BroadcastType::ROW, tessera::kernel::Accumulation::Replace,
                                 "sub_bcast_rows_init_short", site);
}
inline void sub_bcast_cols_init_short(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                                      CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWSUB, BroadcastType::COL, tessera::kernel::Accumulation::Replace,
                                 "sub_bcast_cols_init_short", site);
}
inline void sub_tiles_bcast_scalar_init_short(std::uint32_t /*icb0*/ = 0,
                                              std::uint32_t /*icb1*/ = 1,
                                              CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWSUB, BroadcastType::SCALAR,
                                 tessera::kernel::Accumulation::Replace,
                                 "sub_tiles_bcast_scalar_init_short", site);
}
inline void mul_bcast_rows_init_short(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                                      CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWMUL, BroadcastType::ROW, tessera::kernel::Accumulation::Replace,
                                 "mul_bcast_rows_init_short", site);
}
inline void mul_bcast_cols_init_short(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                                      CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWMUL, BroadcastType::COL, tessera::kernel::Accumulation::Replace,
                                 "mul_bcast_cols_init_short", site);
}
inline void mul_tiles_bcast_scalar_init_short(std::uint32_t /*icb0*/ = 0,
                                              std::uint32_t /*icb1*/ = 1,
                                              CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(ELWMUL, BroadcastType::SCALAR,
                                 tessera::kernel::Accumulation::Replace,
                                 "mul_tiles_bcast_scalar_init_short", site);
}

/// Configures all units and arms unary_bcast.
template <BroadcastType bcast_type>
void unary_bcast_init(std::uint32_t icb, std::uint32_t ocb, CallSite site = CallSite::here()) {
    tessera::kernel::configure_units(icb, icb, ocb, "unary_bcast_init", site);
    tessera::kernel::arm_unary_broadcast(bcast_type, "unary_bcast_init", site);
}
template <BroadcastType old_bcast_type, BroadcastType new_bcast_type>
void reconfigure_unary_bcast(std::uint32_t /*old_icb*/, std::uint32_t new_icb,
                             std::uint32_t /*old_ocb*/, std::uint32_t new_ocb,
                             CallSite site = CallSite::here()) {
    tessera::kernel::configure_units(new_icb, new_icb, new_ocb, "reconfigure_unary_bcast", site);
    tessera::kernel::arm_unary_broadcast(new_bcast_type, "reconfigure_unary_bcast", site);
}
/// DST[dst_tile_index] = broadcast(icb[in_tile_index]).
template <BroadcastType bcast_type>
void unary_bcast(std::uint32_t icb, std::uint32_t in_tile_index, std::uint32_t dst_tile_index,
                 CallSite site = CallSite::here()) {
    tessera::kernel::unary_broadcast(bcast_type, icb, in_tile_index, dst_tile_index, site);
}

}  // namespace ckernel
