// SPDX-License-Identifier: Apache-2.0
// Calls of LLK for whole tiles, which each thread of a compute kernel makes for its unit. One fiber
// runs the three threads in program order: the unpack call names the operands, and the math call
// that follows it computes. Calls that only configure a unit, for operands that another call
// states, do nothing. The vendor's versions differ in the order of template arguments; arguments
// with a distinct type are found by their type.
// Source   tt-metal hw/ckernels/*/metal/llk_api.
#pragma once

#include "tessera/kernel/compute/llk.hpp"
#include "tessera/kernel/compute/reduce.hpp"
#include "tessera/kernel/compute/sfpu.hpp"
#include "tessera/kernel/compute/untilize.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"

namespace tessera::kernel {

/// Returns the operands that the last unpack call named.
Factors named_operands(CallSite site);
void arm_datacopy(CallSite site);
void semaphore_init(std::uint32_t index, std::uint32_t min, std::uint32_t max, CallSite site);
void semaphore_post(std::uint32_t index, CallSite site);
void semaphore_get(std::uint32_t index, CallSite site);
void semaphore_wait_on_zero(std::uint32_t index, CallSite site);
void semaphore_wait_on_max(std::uint32_t index, CallSite site);

/// Returns the template argument of type Wanted, or `absent`.
template <class Wanted, auto... options>
constexpr Wanted option_of(Wanted absent) {
    Wanted found = absent;
    const auto look = [&found](auto option) {
        if constexpr (std::is_same_v<decltype(option), Wanted>) {
            found = option;
        }
    };
    (look(options), ...);
    return found;
}

}  // namespace tessera::kernel

namespace ckernel {

/// Source register from which a copy to DST reads its operand.
enum DataCopyType : std::uint8_t { A2D, B2D };

#ifdef COMPILE_FOR_TRISC  // built-in kernels may have a `semaphore` of their own
/// Stalls that the vendor's semaphore calls name. Here they have no effect, because calls run in
/// program order.
struct p_stall {
    enum : std::uint32_t {
        NONE,
        STALL_MATH,
        STALL_SFPU,
        STALL_PACK,
        STALL_UNPACK,
        STALL_SYNC,
        MATH,
        PACK,
        UNPACK
    };
};
/// Semaphores between the threads of a compute kernel.
struct semaphore {
    enum : std::uint8_t {
        FPU_SFPU = 0,
        MATH_PACK = 1,
        UNPACK_TO_DEST = 2,
        UNPACK_OPERAND_SYNC = 3,
        PACK_DONE = 4,
        UNPACK_SYNC = 5,
        UNPACK_MATH_DONE = 6,
        MATH_DONE = 7,
    };
    static constexpr std::uint16_t t6_sem(std::uint8_t index) {
        return static_cast<std::uint16_t>(1U << index);
    }
};
inline void t6_semaphore_init(std::uint8_t index, std::uint8_t min, std::uint8_t max,
                              CallSite site = CallSite::here()) {
    tessera::kernel::semaphore_init(index, min, max, site);
}
template <std::uint32_t... stall>
void t6_semaphore_post(std::uint8_t index, CallSite site = CallSite::here()) {
    tessera::kernel::semaphore_post(index, site);
}
template <std::uint32_t... stall>
void t6_semaphore_get(std::uint8_t index, CallSite site = CallSite::here()) {
    tessera::kernel::semaphore_get(index, site);
}
/// Check that the chip's thread would not wait: only a later call could end the wait here.
/// Errors   Unsupported if the semaphore is 0 (at its maximum).
template <std::uint32_t... stall>
void t6_semaphore_wait_on_zero(std::uint8_t index, CallSite site = CallSite::here()) {
    tessera::kernel::semaphore_wait_on_zero(index, site);
}
template <std::uint32_t... stall>
void t6_semaphore_wait_on_max(std::uint8_t index, CallSite site = CallSite::here()) {
    tessera::kernel::semaphore_wait_on_max(index, site);
}
#endif

// Circular buffers and sections of DST.
inline void llk_wait_tiles(int cb, std::uint32_t num_tiles, CallSite site = CallSite::here()) {
    cb_wait_front(static_cast<std::uint32_t>(cb), num_tiles, site);
}
inline void llk_pop_tiles(int cb, std::uint32_t num_tiles, std::uint32_t /*block_c_dim*/ = 0,
                          CallSite site = CallSite::here()) {
    cb_pop_front(static_cast<std::uint32_t>(cb), num_tiles, site);
}
template <bool... options>
void llk_wait_for_free_tiles(std::int32_t cb, std::int32_t num_tiles,
                             CallSite site = CallSite::here()) {
    cb_reserve_back(static_cast<std::uint32_t>(cb), static_cast<std::uint32_t>(num_tiles), site);
}
template <bool... options>
void llk_push_tiles(std::int32_t cb, std::int32_t num_tiles, CallSite site = CallSite::here()) {
    cb_push_back(static_cast<std::uint32_t>(cb), static_cast<std::uint32_t>(num_tiles), site);
}
inline void llk_math_wait_for_dest_available(CallSite site = CallSite::here()) {
    tile_regs_acquire(site);
}
template <bool is_fp32_dest_acc_en = false>
void llk_math_dest_section_done(CallSite site = CallSite::here()) {
    tile_regs_commit(site);
}
inline void llk_packer_wait_for_math_done(CallSite site = CallSite::here()) {
    tile_regs_wait(site);
}
template <bool is_fp32_dest_acc_en = false>
void llk_pack_dest_section_done(CallSite site = CallSite::here()) {
    tile_regs_release(site);
}

// Configuration of the units.
template <auto... options>
void llk_unpack_hw_configure(std::uint32_t srca, std::uint32_t srcb,
                             CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srca(srca, "llk_unpack_hw_configure", site);
    tessera::kernel::reconfigure_srcb(srcb, "llk_unpack_hw_configure", site);
}
template <auto... options>
void llk_unpack_hw_configure(std::uint32_t srca, CallSite site = CallSite::here()) {
    llk_unpack_hw_configure(srca, srca, site);
}
template <auto... options>
void llk_math_hw_configure(std::uint32_t /*srca*/, std::uint32_t /*srcb*/) {
}
template <auto... options>
void llk_pack_hw_configure(std::uint32_t cb, CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_pack(cb, "llk_pack_hw_configure", site);
}
template <auto... options>
void llk_math_pack_sync_init() {
}
template <auto... options, class... Words>
void llk_pack_init(Words... /*words*/) {
}
inline void pack_init(std::uint32_t /*cb*/, CallSite /*site*/ = CallSite::here()) {
}
/// Does nothing; on the chip it sets registers of the packer and of DST's rows, which pack_untilize
/// sets itself here.
template <auto... options>
void llk_init_packer_dest_offset_registers() {
}
inline void llk_math_reconfig_remap(bool /*remaps_rows*/) {
}
/// Returns the circular buffer of an operand: the operand's own number.
constexpr std::uint32_t get_operand_id(std::uint32_t operand) {
    return operand;
}
template <auto... options, class... Words>
void llk_pack_dest_init(Words... /*words*/) {
}

/// Packs DST tile `idst`, in order or to page `tile_index`. The second or third template argument,
/// depending on the vendor's version, selects the page.
template <bool is_fp32_dest_acc_en = false, bool out_of_order_output = false, auto... options>
void llk_pack(std::uint32_t idst, std::uint32_t cb, std::uint32_t tile_index = 0,
              CallSite site = CallSite::here()) {
    pack_tile<out_of_order_output>(idst, cb, tile_index, site);
}
/// Packs `num_tiles` DST tiles from `idst` on, in order or to pages from `tile_index` on.
template <bool is_fp32_dest_acc_en = false, bool out_of_order_output = false, auto... options>
void llk_matmul_pack(std::uint32_t idst, std::uint32_t cb, std::uint32_t num_tiles,
                     std::uint32_t tile_index = 0, CallSite site = CallSite::here()) {
    for (std::uint32_t i = 0; i < num_tiles; ++i) {
        pack_tile<out_of_order_output>(idst + i, cb, tile_index + i, site);
    }
}
/// Masks the packer, so that it keeps only the row, column or element that a reduction has written.
template <ReduceDim dim, auto... options>
void llk_pack_reduce_mask_config(std::uint32_t /*cb*/ = 0) {
    tessera::kernel::set_pack_mask(dim);
}
template <auto... options>
void llk_pack_reduce_mask_clear() {
    tessera::kernel::clear_pack_mask();
}

// A copy to DST: unpack names the tile, math copies or broadcasts it.
template <auto... options>
void llk_unpack_A_init(std::uint32_t transpose_of_faces = 0,
                       std::uint32_t within_face_16x16_transpose = 0, std::uint32_t cb = 0,
                       CallSite site = CallSite::here()) {
    using tessera::kernel::option_of;
    constexpr auto kReuse =
        option_of<EltwiseBinaryReuseDestType, options...>(EltwiseBinaryReuseDestType::NONE);
    constexpr auto kBroadcast = option_of<BroadcastType, options...>(BroadcastType::NONE);
    if constexpr (kReuse == EltwiseBinaryReuseDestType::NONE && kBroadcast == BroadcastType::NONE) {
        copy_tile_to_dst_init_short(cb, transpose_of_faces, within_face_16x16_transpose, site);
    }
}
template <auto... options>
void llk_unpack_A(std::uint32_t cb, std::uint32_t itile, CallSite site = CallSite::here()) {
    tessera::kernel::name_factors({cb, cb, itile, itile}, site);
}
template <auto... options>
void llk_math_eltwise_unary_datacopy_init(std::uint32_t /*cb*/ = 0,
                                          CallSite site = CallSite::here()) {
    constexpr auto kBroadcast =
        tessera::kernel::option_of<BroadcastType, options...>(BroadcastType::NONE);
    if constexpr (kBroadcast == BroadcastType::NONE) {
        tessera::kernel::arm_datacopy(site);
    } else {
        tessera::kernel::arm_unary_broadcast(kBroadcast, "llk_math_eltwise_unary_datacopy_init",
                                             site);
    }
}
template <auto... options>
void llk_math_eltwise_unary_datacopy(std::uint32_t idst, std::uint32_t /*cb*/ = 0,
                                     CallSite site = CallSite::here()) {
    constexpr auto kBroadcast =
        tessera::kernel::option_of<BroadcastType, options...>(BroadcastType::NONE);
    const auto named = tessera::kernel::named_operands(site);
    if constexpr (kBroadcast == BroadcastType::NONE) {
        copy_tile(named.cb0, named.tile0, idst, site);
    } else {
        tessera::kernel::unary_broadcast(kBroadcast, named.cb0, named.tile0, idst, site);
    }
}

// Element-wise operations of two tiles, or of one and DST.
template <BroadcastType bcast = BroadcastType::NONE>
void llk_unpack_AB(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t itile0,
                   std::uint32_t itile1, CallSite site = CallSite::here()) {
    tessera::kernel::name_factors({icb0, icb1, itile0, itile1}, site);
}
template <EltwiseBinaryType type, BroadcastType bcast, auto... options>
void llk_math_eltwise_binary(std::uint32_t idst, bool /*clears_fp32_dst*/ = true,
                             CallSite site = CallSite::here()) {
    constexpr auto kReuse = tessera::kernel::option_of<EltwiseBinaryReuseDestType, options...>(
        EltwiseBinaryReuseDestType::NONE);
    const auto named = tessera::kernel::named_operands(site);
    if constexpr (kReuse == EltwiseBinaryReuseDestType::NONE) {
        tessera::kernel::eltwise(type, bcast, named.cb0, named.cb1, named.tile0, named.tile1, idst,
                                 "llk_math_eltwise_binary", site);
    } else if constexpr (bcast == BroadcastType::NONE) {
        tessera::kernel::arm_dest_reuse(type, kReuse, site);
        tessera::kernel::eltwise_dest_reuse(type, kReuse, named.cb0, named.tile0, idst, site);
    } else {
        tessera::kernel::refuse_form("llk_math_eltwise_binary of DST and a broadcast tile", site);
    }
}
template <EltwiseBinaryType type, BroadcastType bcast, auto... options>
void llk_math_eltwise_binary(std::uint32_t /*icb0*/, std::uint32_t /*icb1*/, std::uint32_t idst,
                             bool clears_fp32_dst = true, CallSite site = CallSite::here()) {
    llk_math_eltwise_binary<type, bcast, options...>(idst, clears_fp32_dst, site);
}

// Reductions. The packer's mask is a call of its own.
template <auto... options, class... Words>
void llk_unpack_AB_reduce_init(Words... /*words*/) {
}
template <PoolType type = kDefaultPool, ReduceDim dim = kDefaultReduceDim>
void llk_unpack_AB_reduce(std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t itile,
                          std::uint32_t itile_scaler, CallSite site = CallSite::here()) {
    tessera::kernel::name_factors({icb, icb_scaler, itile, itile_scaler}, site);
}
template <PoolType type, ReduceDim dim, auto... options>
void llk_math_reduce_init(CallSite site = CallSite::here()) {
    tessera::kernel::arm_reduce(type, dim, tessera::kernel::PackMasking::Keep,
                                "llk_math_reduce_init", site);
}
template <PoolType type, ReduceDim dim, auto... options>
void llk_math_reduce(std::uint32_t idst, CallSite site = CallSite::here()) {
    const auto named = tessera::kernel::named_operands(site);
    tessera::kernel::reduce(type, dim, named.cb0, named.cb1, named.tile0, named.tile1, idst, site);
}
template <PoolType type, ReduceDim dim, auto... options>
void llk_math_reduce(std::uint32_t /*icb*/, std::uint32_t /*icb_scaler*/, std::uint32_t idst,
                     CallSite site = CallSite::here()) {
    llk_math_reduce<type, dim>(idst, site);
}

/// Forms of llk_math_eltwise_unary_sfpu_binop_with_scalar.
enum : std::uint8_t { ADD_UNARY, SUB_UNARY, MUL_UNARY, DIV_UNARY, RSUB_UNARY };
template <bool approximate, int form>
void llk_math_eltwise_unary_sfpu_binop_with_scalar(
    std::uint32_t idst, std::uint32_t bits, int vector_mode = static_cast<int>(VectorMode::RC),
    CallSite site = CallSite::here()) {
    using tessera::kernel::Sfpu;
    constexpr std::array kForms{Sfpu::AddScalar, Sfpu::SubScalar, Sfpu::MulScalar, Sfpu::DivScalar,
                                Sfpu::RsubScalar};
    tessera::kernel::sfpu(kForms[form], tessera::kernel::SfpuForm::OfKernel, idst, vector_mode,
                          bits, site);
}

}  // namespace ckernel

namespace tt {
/// CBs under the names of kernels of 2022.
struct HlkOperand {
    enum : std::uint8_t {
        in0 = 0,
        in1,
        in2,
        in3,
        in4,
        in5,
        in6,
        in7,
        param0 = 8,
        out0 = 16,
        intermed0 = 24
    };
};
}  // namespace tt
