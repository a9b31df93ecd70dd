// SPDX-License-Identifier: Apache-2.0
// Element-wise operations of the matrix unit on two tiles.
// Numeric  mul ADDS its products to DST, which is zero after an acquire; add and sub replace DST
//          unless armed with acc_to_dest. Only mul depends on MathFidelity (icb0 → SrcA,
//          icb1 → SrcB).  Source: tt-isa-documentation, ELWMUL.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
enum class Accumulation : std::uint8_t { Replace, AddToDst };
void arm_eltwise(ckernel::EltwiseBinaryType type, ckernel::BroadcastType broadcast,
                 Accumulation accumulation, const char* call, CallSite site);
void eltwise(ckernel::EltwiseBinaryType type, ckernel::BroadcastType broadcast, std::uint32_t icb0,
             std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1, std::uint32_t idst,
             const char* call, CallSite site, std::uint32_t bcast_row = 0);
void arm_dest_reuse(ckernel::EltwiseBinaryType type, ckernel::EltwiseBinaryReuseDestType reuse,
                    CallSite site);
void eltwise_dest_reuse(ckernel::EltwiseBinaryType type, ckernel::EltwiseBinaryReuseDestType reuse,
                        std::uint32_t icb, std::uint32_t itile, std::uint32_t idst, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

/// Arm add_tiles, sub_tiles or mul_tiles. Do not change formats.
void add_tiles_init(std::uint32_t icb0 = 0, std::uint32_t icb1 = 1, bool acc_to_dest = false,
                    CallSite site = CallSite::here());
void sub_tiles_init(std::uint32_t icb0 = 0, std::uint32_t icb1 = 1, bool acc_to_dest = false,
                    CallSite site = CallSite::here());
void mul_tiles_init(std::uint32_t icb0 = 0, std::uint32_t icb1 = 1,
                    CallSite site = CallSite::here());
/// Arms mul_tiles, which adds to DST with either value of acc_to_dest.
inline void mul_tiles_init(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t /*acc_to_dest*/,
                           std::uint32_t /*line*/ = 0, CallSite site = CallSite::here()) {
    mul_tiles_init(icb0, icb1, site);
}

template <bool full_init, EltwiseBinaryType eltwise_binary_type>
void binary_tiles_init(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/, bool acc_to_dest = false,
                       CallSite site = CallSite::here()) {
    using tessera::kernel::Accumulation;
    tessera::kernel::arm_eltwise(eltwise_binary_type, BroadcastType::NONE,
                                 acc_to_dest ? Accumulation::AddToDst : Accumulation::Replace,
                                 "binary_tiles_init", site);
}
/// Does the same as binary_tiles_init, under its older name.
template <bool full_init, EltwiseBinaryType eltwise_binary_type>
void binary_op_specific_init(CallSite site = CallSite::here()) {
    tessera::kernel::arm_eltwise(eltwise_binary_type, BroadcastType::NONE,
                                 tessera::kernel::Accumulation::Replace, "binary_op_specific_init",
                                 site);
}

/// DST[idst] = icb0[itile0] + icb1[itile1]; sub_tiles subtracts, and mul_tiles adds the products to
/// DST[idst].
void add_tiles(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1,
               std::uint32_t idst, CallSite site = CallSite::here());
void sub_tiles(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1,
               std::uint32_t idst, CallSite site = CallSite::here());
void mul_tiles(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0, std::uint32_t itile1,
               std::uint32_t idst, CallSite site = CallSite::here());

/// Arms binary_dest_reuse_tiles of the same template arguments.
template <EltwiseBinaryType eltwise_binary_type = ELWADD,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
void binary_dest_reuse_tiles_init(std::uint32_t /*icb0*/, CallSite site = CallSite::here()) {
    tessera::kernel::arm_dest_reuse(eltwise_binary_type, binary_reuse_dest, site);
}
/// DST[idst] = DST[idst] ∘ icb[itile] (DEST_TO_SRCA) or icb[itile] ∘ DST[idst] (DEST_TO_SRCB).
template <EltwiseBinaryType eltwise_binary_type = ELWADD,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
void binary_dest_reuse_tiles(std::uint32_t in_cb_id, std::uint32_t in_tile_index,
                             std::uint32_t dst_tile_index, CallSite site = CallSite::here()) {
    tessera::kernel::eltwise_dest_reuse(eltwise_binary_type, binary_reuse_dest, in_cb_id,
                                        in_tile_index, dst_tile_index, site);
}

}  // namespace ckernel
