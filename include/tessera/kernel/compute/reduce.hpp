// SPDX-License-Identifier: Apache-2.0
// Reductions over a tile. The first row of each face of the scaler tile multiplies SUM and AVG; MAX
// is scaled by the scaler's exponent only. AVG is a SUM whose scaler the program sets to 1/N (1/√N
// for REDUCE_SCALAR, which applies it twice).
// After an init, the packer zeroes all but the reduced row, column or element until reduce_uninit.
// Without that call, later packs lose values, as on the chip.
#pragma once

#include "tessera/kernel/compute/init.hpp"

namespace tessera::kernel {
enum class PackMasking : std::uint8_t { Set, Keep };
void arm_reduce(ckernel::PoolType type, ckernel::ReduceDim dim, PackMasking masking,
                const char* call, CallSite site);
void reduce(ckernel::PoolType type, ckernel::ReduceDim dim, std::uint32_t icb,
            std::uint32_t icb_scaler, std::uint32_t itile, std::uint32_t itile_scaler,
            std::uint32_t idst, CallSite site);
void set_pack_mask(ckernel::ReduceDim dim);
void clear_pack_mask();
}  // namespace tessera::kernel

namespace ckernel {

// Programs may give the template arguments as defines.
#if defined(REDUCE_OP) && defined(REDUCE_DIM)
inline constexpr PoolType kDefaultPool = REDUCE_OP;
inline constexpr ReduceDim kDefaultReduceDim = REDUCE_DIM;
#else
inline constexpr PoolType kDefaultPool = PoolType::NO_POOL;
inline constexpr ReduceDim kDefaultReduceDim = ReduceDim::NO_REDUCE;
#endif
template <PoolType type, ReduceDim dim>
constexpr void check_reduce_arguments() {
    static_assert(type != PoolType::NO_POOL && dim != ReduceDim::NO_REDUCE,
                  "give the reduction as template arguments or as -DREDUCE_OP and -DREDUCE_DIM");
}

/// Configures formats, arms reduce_tile and masks the packer.
template <PoolType reduce_type = kDefaultPool, ReduceDim reduce_dim = kDefaultReduceDim,
          bool enforce_fp32_accumulation = false>
void reduce_init(std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t ocb = 16,
                 CallSite site = CallSite::here()) {
    check_reduce_arguments<reduce_type, reduce_dim>();
    tessera::kernel::configure_units(icb, icb_scaler, ocb, "reduce_init", site);
    tessera::kernel::arm_reduce(reduce_type, reduce_dim, tessera::kernel::PackMasking::Set,
                                "reduce_init", site);
}
/// Does the same, in the form before tt-metal #26528.
template <bool at_start, PoolType reduce_type = kDefaultPool,
          ReduceDim reduce_dim = kDefaultReduceDim>
void reduce_init(std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t ocb = 16,
                 CallSite site = CallSite::here()) {
    reduce_init<reduce_type, reduce_dim>(icb, icb_scaler, ocb, site);
}
template <PoolType reduce_type = kDefaultPool, ReduceDim reduce_dim = kDefaultReduceDim>
void reduce_init_short(std::uint32_t /*icb*/, std::uint32_t /*icb_scaler*/,
                       std::uint32_t /*ocb*/ = 16, CallSite site = CallSite::here()) {
    check_reduce_arguments<reduce_type, reduce_dim>();
    tessera::kernel::arm_reduce(reduce_type, reduce_dim, tessera::kernel::PackMasking::Set,
                                "reduce_init_short", site);
}
template <bool at_start, PoolType reduce_type = kDefaultPool,
          ReduceDim reduce_dim = kDefaultReduceDim>
void reduce_init_delta(std::uint32_t /*cb*/ = 16, std::uint32_t /*cb*/ = 0,
                       std::uint32_t /*cb*/ = 1, CallSite site = CallSite::here()) {
    check_reduce_arguments<reduce_type, reduce_dim>();
    tessera::kernel::arm_reduce(reduce_type, reduce_dim, tessera::kernel::PackMasking::Set,
                                "reduce_init_delta", site);
}
template <PoolType reduce_type = kDefaultPool, ReduceDim reduce_dim = kDefaultReduceDim>
void reduce_init_delta_no_pack(std::uint32_t /*icb0*/ = 0, std::uint32_t /*icb1*/ = 1,
                               CallSite site = CallSite::here()) {
    check_reduce_arguments<reduce_type, reduce_dim>();
    tessera::kernel::arm_reduce(reduce_type, reduce_dim, tessera::kernel::PackMasking::Keep,
                                "reduce_init_delta_no_pack", site);
}

/// Accumulates the reduction of icb[itile0], scaled by icb_scaler[itile1], in DST[idst].
template <PoolType reduce_type = kDefaultPool, ReduceDim reduce_dim = kDefaultReduceDim,
          bool enforce_fp32_accumulation = false>
void reduce_tile(std::uint32_t icb, std::uint32_t icb_scaler, std::uint32_t itile,
                 std::uint32_t itile_scaler, std::uint32_t idst, CallSite site = CallSite::here()) {
    check_reduce_arguments<reduce_type, reduce_dim>();
    tessera::kernel::reduce(reduce_type, reduce_dim, icb, icb_scaler, itile, itile_scaler, idst,
                            site);
}

/// Removes the packer's mask, so that it writes whole tiles again.
template <bool enforce_fp32_accumulation = false>
void reduce_uninit(std::uint32_t /*icb*/ = 0) {
    tessera::kernel::clear_pack_mask();
}
template <ReduceDim reduce_dim = kDefaultReduceDim>
void reduce_revert_delta(std::uint32_t /*ocb*/ = 16) {
    tessera::kernel::clear_pack_mask();
}

}  // namespace ckernel
