// SPDX-License-Identifier: Apache-2.0
// Frequent calls of the layer below the compute API (LLK). On the chip each operation is a pair of
// calls, one for unpack and one for math. One fiber runs both in program order here: the math init
// arms the operation, and the unpack init before it only names the operands.
// Source   tt-metal hw/ckernels/*/metal/llk_api.
#pragma once

#include "tessera/kernel/compute/bcast.hpp"
#include "tessera/kernel/compute/copy.hpp"
#include "tessera/kernel/compute/eltwise_binary.hpp"
#include "tessera/kernel/compute/matmul.hpp"
#include "tessera/kernel/compute/pack.hpp"
#include "tessera/kernel/compute/reconfig.hpp"
#include "tessera/kernel/compute/tile_regs.hpp"

namespace tessera::kernel {
/// Operands of a product: two CBs and a tile of each.
struct Factors {
    std::uint32_t cb0;
    std::uint32_t cb1;
    std::uint32_t tile0;
    std::uint32_t tile1;
};
void name_factors(const Factors& factors, CallSite site);
void multiply_named_factors(MathFidelity fidelity, std::uint32_t idst, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

using tessera::MathFidelity;
/// Use of DST: math and packer have one half each, or both use all of it in turn.
enum class DstSync : std::uint8_t { SyncHalf, SyncFull };
/// Layout of rows in DST.
enum class DataLayout : std::uint8_t { TILE, ROW_MAJOR };
inline constexpr bool UnpackToDestEn = true;
inline constexpr bool UnpackToDestDis = false;
/// Rounding of functions that divide.
enum class RoundingMode : std::uint8_t { None, Trunc, Floor };

template <BroadcastType bcast = BroadcastType::NONE>
void llk_unpack_AB_init(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/,
                        std::uint32_t /*transpose*/ = 0) {
}
template <EltwiseBinaryType type, BroadcastType bcast, auto fidelity = 0, auto... reuse>
void llk_math_eltwise_binary_init(std::uint32_t acc_to_dest = 0, CallSite site = CallSite::here()) {
    using tessera::kernel::Accumulation;
    tessera::kernel::arm_eltwise(type, bcast,
                                 acc_to_dest != 0 ? Accumulation::AddToDst : Accumulation::Replace,
                                 "llk_math_eltwise_binary_init", site);
}
template <EltwiseBinaryType type, BroadcastType bcast, auto fidelity = 0, auto... reuse>
void llk_math_eltwise_binary_init(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/,
                                  std::uint32_t acc_to_dest = 0, CallSite site = CallSite::here()) {
    llk_math_eltwise_binary_init<type, bcast>(acc_to_dest, site);
}
template <EltwiseBinaryType type, BroadcastType bcast, auto fidelity = 0, auto... reuse>
void llk_math_eltwise_binary_init_with_operands(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/,
                                                std::uint32_t acc_to_dest = 0,
                                                CallSite site = CallSite::here()) {
    llk_math_eltwise_binary_init<type, bcast>(acc_to_dest, site);
}

// Products of two tiles with a fidelity for each call. The unpack call names the operands of the
// math call that follows it.
inline void llk_unpack_AB_matmul_init(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/,
                                      std::uint32_t /*transpose*/ = 0) {
}
template <auto fidelity, auto throttle = 0>
void llk_math_matmul_init(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t transpose = 0,
                          CallSite site = CallSite::here()) {
    mm_init_short(icb0, icb1, transpose, site);
}
inline void llk_unpack_AB_matmul(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                                 std::uint32_t itile1, CallSite site = CallSite::here()) {
    tessera::kernel::name_factors({icb0, icb1, itile0, itile1}, site);
}
template <auto fidelity, auto throttle = 0>
void llk_math_matmul(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::multiply_named_factors(static_cast<MathFidelity>(fidelity), idst, site);
}
template <auto... options>
void llk_unpack_reconfig_data_format_srca(std::uint32_t /*old_operand*/, std::uint32_t new_operand,
                                          CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srca(new_operand, "llk_unpack_reconfig_data_format_srca", site);
}
template <auto... options>
void llk_unpack_reconfig_data_format_srcb(std::uint32_t /*old_operand*/, std::uint32_t new_operand,
                                          CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srcb(new_operand, "llk_unpack_reconfig_data_format_srcb", site);
}
template <auto... options>
void llk_unpack_reconfig_data_format(std::uint32_t srca, std::uint32_t srcb,
                                     CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srca(srca, "llk_unpack_reconfig_data_format", site);
    tessera::kernel::reconfigure_srcb(srcb, "llk_unpack_reconfig_data_format", site);
}
template <auto... options>
void llk_unpack_reconfig_data_format(std::uint32_t /*old_srca*/, std::uint32_t srca,
                                     std::uint32_t /*old_srcb*/, std::uint32_t srcb,
                                     CallSite site = CallSite::here()) {
    llk_unpack_reconfig_data_format(srca, srcb, site);
}
template <auto... options, class... Operands>
void llk_math_reconfig_data_format_srca(Operands... /*operands*/) {
}
template <auto... options, class... Operands>
void llk_math_reconfig_data_format_srcb(Operands... /*operands*/) {
}
template <auto... options, class... Operands>
void llk_math_reconfig_data_format(Operands... /*operands*/) {
}

/// Does nothing; on the chip it states an operand for the checks of a debug build. Here, each call
/// checks its operands.
template <auto... operands, class... Words>
void state_configure(Words... /*words*/) {
}

// Names since mid-2026: the formats come from compute_kernel_hw_startup.
inline void add_init(std::uint32_t icb0, std::uint32_t icb1, bool acc_to_dest = false,
                     CallSite site = CallSite::here()) {
    add_tiles_init(icb0, icb1, acc_to_dest, site);
}
inline void sub_init(std::uint32_t icb0, std::uint32_t icb1, bool acc_to_dest = false,
                     CallSite site = CallSite::here()) {
    sub_tiles_init(icb0, icb1, acc_to_dest, site);
}
inline void mul_init(std::uint32_t icb0, std::uint32_t icb1, CallSite site = CallSite::here()) {
    mul_tiles_init(icb0, icb1, site);
}
#define TESSERA_REUSE_DEST(name, type)                                                       \
    template <EltwiseBinaryReuseDestType reuse_dest>                                         \
    void name##_reuse_dest_init(std::uint32_t icb, CallSite site = CallSite::here()) {       \
        binary_dest_reuse_tiles_init<type, reuse_dest>(icb, site);                           \
    }                                                                                        \
    template <EltwiseBinaryReuseDestType reuse_dest>                                         \
    void name##_reuse_dest_tiles(std::uint32_t icb, std::uint32_t itile, std::uint32_t idst, \
                                 CallSite site = CallSite::here()) {                         \
        binary_dest_reuse_tiles<type, reuse_dest>(icb, itile, idst, site);                   \
    }
TESSERA_REUSE_DEST(add, EltwiseBinaryType::ELWADD)
TESSERA_REUSE_DEST(sub, EltwiseBinaryType::ELWSUB)
TESSERA_REUSE_DEST(mul, EltwiseBinaryType::ELWMUL)
#undef TESSERA_REUSE_DEST

// Variants that use other instructions on the chip, with the same results.
inline void copy_tile_custom(std::uint32_t in_cb_id, std::uint32_t in_tile_index,
                             std::uint32_t dst_tile_index, CallSite site = CallSite::here()) {
    copy_tile(in_cb_id, in_tile_index, dst_tile_index, site);
}
inline void pack_block_contiguous_init(std::uint32_t /*ocb*/) {
}
inline void pack_block_contiguous(std::uint32_t ifrom_dst, std::uint32_t ocb,
                                  std::uint32_t num_tiles, CallSite site = CallSite::here()) {
    pack_tile_block(ifrom_dst, ocb, num_tiles, site);
}
inline void mm_no_mop_init_short(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                                 bool transpose = false, std::uint32_t ct_dim = 1,
                                 std::uint32_t rt_dim = 1, std::uint32_t kt_dim = 1,
                                 CallSite site = CallSite::here()) {
    mm_block_init_short(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, site);
}
inline void mm_no_mop_reinit_short(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                                   bool transpose = false, std::uint32_t ct_dim = 1,
                                   std::uint32_t rt_dim = 1, std::uint32_t kt_dim = 1,
                                   CallSite site = CallSite::here()) {
    mm_block_init_short(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, site);
}
inline void matmul_block_no_mop(std::uint32_t in0_cb_id, std::uint32_t in1_cb_id,
                                std::uint32_t in0_tile_index, std::uint32_t in1_tile_index,
                                std::uint32_t idst, bool transpose, std::uint32_t ct_dim,
                                std::uint32_t rt_dim, std::uint32_t kt_dim,
                                CallSite site = CallSite::here()) {
    matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim,
                 rt_dim, kt_dim, site);
}
inline void sub_bcast_cols_init_short_custom(std::uint32_t icb0, std::uint32_t icb1,
                                             std::uint32_t /*ct_dim*/,
                                             CallSite site = CallSite::here()) {
    sub_bcast_cols_init_short(icb0, icb1, site);
}
/// Subtracts column 0 of one tile from ct_dim tiles.
inline void sub_tiles_bcast_cols_custom(std::uint32_t icb0, std::uint32_t icb1,
                                        std::uint32_t itile0, std::uint32_t itile1,
                                        std::uint32_t idst, std::uint32_t ct_dim,
                                        CallSite site = CallSite::here()) {
    for (std::uint32_t i = 0; i < ct_dim; ++i) {
        sub_tiles_bcast_cols(icb0, icb1, itile0 + i, itile1, idst + i, site);
    }
}
inline void mul_bcast_cols_init_short_custom(std::uint32_t icb0, std::uint32_t icb1,
                                             CallSite site = CallSite::here()) {
    mul_bcast_cols_init_short(icb0, icb1, site);
}
/// Adds products of ct_dim tiles with column 0 of one tile to as many DST tiles.
inline void mul_tiles_bcast_cols_custom(std::uint32_t icb0, std::uint32_t icb1,
                                        std::uint32_t itile0, std::uint32_t itile1,
                                        std::uint32_t idst, std::uint32_t ct_dim,
                                        CallSite site = CallSite::here()) {
    for (std::uint32_t i = 0; i < ct_dim; ++i) {
        mul_tiles_bcast_cols(icb0, icb1, itile0 + i, itile1, idst + i, site);
    }
}
template <BroadcastType bcast_type>
void unary_bcast_uninit(std::uint32_t /*icb*/) {
}

}  // namespace ckernel
