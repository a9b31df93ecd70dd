// SPDX-License-Identifier: Apache-2.0
// Inits that configure all three units at the start of a kernel. They set the formats of SrcA, SrcB
// and the packer from circular buffers; calls of reconfig.hpp change these later. A call refuses an
// operand whose format differs from its register's.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
/// Sets all three formats; arms no operation.
void configure_units(std::uint32_t srca_cb, std::uint32_t srcb_cb, std::uint32_t out_cb,
                     const char* call, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

/// Configures the units. Each operation then needs its own init.
/// `SrcOrder::Reverse` gives the first operand to SrcB, as a matmul does.
template <SrcOrder order = SrcOrder::Default>
void compute_kernel_hw_startup(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t ocb,
                               CallSite site = CallSite::here()) {
    constexpr bool kIsReverse = order == SrcOrder::Reverse;
    tessera::kernel::configure_units(kIsReverse ? icb1 : icb0, kIsReverse ? icb0 : icb1, ocb,
                                     "compute_kernel_hw_startup", site);
}
template <SrcOrder order = SrcOrder::Default>
void compute_kernel_hw_startup(std::uint32_t icb0, std::uint32_t ocb,
                               CallSite site = CallSite::here()) {
    compute_kernel_hw_startup<order>(icb0, icb0, ocb, site);
}

/// Configures the units for two operands. The init of an operation, e.g. add_tiles_init, follows.
void binary_op_init_common(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t ocb = 16,
                           CallSite site = CallSite::here());
/// Configures the units for one operand and arms copy_tile.
void unary_op_init_common(std::uint32_t icb, std::uint32_t ocb = 16,
                          CallSite site = CallSite::here());
/// Does the same as unary_op_init_common. Each SFPU function has its own init.
void init_sfpu(std::uint32_t icb, std::uint32_t ocb = 16, CallSite site = CallSite::here());

}  // namespace ckernel
