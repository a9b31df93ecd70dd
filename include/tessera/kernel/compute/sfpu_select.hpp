// SPDX-License-Identifier: Apache-2.0
// Conversion, selection and masking of DST tiles.
#pragma once

#include "tessera/kernel/compute/sfpu.hpp"

namespace tessera::kernel {
void typecast(std::uint32_t from, std::uint32_t to, std::uint32_t idst, CallSite site);
void where(std::uint32_t condition, std::uint32_t on_true, std::uint32_t on_false,
           std::uint32_t odst, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {

/// Converts between the values of two formats (DataFormat numbers) in DST.
template <std::uint32_t IN_DTYPE = 0, std::uint32_t OUT_DTYPE = 0>
void typecast_tile_init(CallSite /*site*/ = CallSite::here()) {
}
template <std::uint32_t IN_DTYPE, std::uint32_t OUT_DTYPE>
void typecast_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::typecast(IN_DTYPE, OUT_DTYPE, idst, site);
}

/// odst = condition ≠ 0 ? on_true : on_false.
inline void where_tile_init(CallSite /*site*/ = CallSite::here()) {
}
template <DataFormat data_format = DataFormat::Float16_b>
void where_tile(std::uint32_t condition, std::uint32_t on_true, std::uint32_t on_false,
                std::uint32_t odst, CallSite site = CallSite::here()) {
    tessera::kernel::where(condition, on_true, on_false, odst, site);
}
/// Does the same, but the result replaces the condition (older form).
inline void where_tile(std::uint32_t condition, std::uint32_t on_true, std::uint32_t on_false,
                       CallSite site = CallSite::here()) {
    tessera::kernel::where(condition, on_true, on_false, condition, site);
}

inline void mask_tile_init(CallSite /*site*/ = CallSite::here()) {
}
/// Sets elements to 0 where the mask tile is 0.
/// Errors   UndefinedBehavior unless the mask is in the DST tile after the data.
void mask_tile(std::uint32_t idst_data, std::uint32_t idst2_mask,
               DataFormat data_format = DataFormat::Float16_b, CallSite site = CallSite::here());

}  // namespace ckernel
