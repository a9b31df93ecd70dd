// SPDX-License-Identifier: Apache-2.0
// Changes the formats of the source registers to those of other circular buffers in the middle of a
// kernel. Each call uses the tile shape of its CB, with or without is_tile_dim_reconfig_en.
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {
void reconfigure_srca(std::uint32_t cb, const char* call, CallSite site);
void reconfigure_srcb(std::uint32_t cb, const char* call, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
void reconfig_data_format_srca(std::uint32_t srca_new_operand, CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srca(srca_new_operand, "reconfig_data_format_srca", site);
}
/// Do the same. On the chip they compare the formats of the old and the new operand, and do nothing
/// if these are equal.
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
void reconfig_data_format_srca(std::uint32_t /*srca_old_operand*/, std::uint32_t srca_new_operand,
                               CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srca(srca_new_operand, "reconfig_data_format_srca", site);
}

template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
void reconfig_data_format_srcb(std::uint32_t srcb_new_operand, CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srcb(srcb_new_operand, "reconfig_data_format_srcb", site);
}
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
void reconfig_data_format_srcb(std::uint32_t /*srcb_old_operand*/, std::uint32_t srcb_new_operand,
                               CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srcb(srcb_new_operand, "reconfig_data_format_srcb", site);
}

template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
void reconfig_data_format(std::uint32_t srca_new_operand, std::uint32_t srcb_new_operand,
                          CallSite site = CallSite::here()) {
    tessera::kernel::reconfigure_srca(srca_new_operand, "reconfig_data_format", site);
    tessera::kernel::reconfigure_srcb(srcb_new_operand, "reconfig_data_format", site);
}
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
void reconfig_data_format(std::uint32_t /*srca_old_operand*/, std::uint32_t srca_new_operand,
                          std::uint32_t /*srcb_old_operand*/, std::uint32_t srcb_new_operand,
                          CallSite site = CallSite::here()) {
    reconfig_data_format<to_from_int8>(srca_new_operand, srcb_new_operand, site);
}

}  // namespace ckernel
