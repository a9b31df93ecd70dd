// SPDX-License-Identifier: Apache-2.0
// Functions of two DST tiles; `odst` may be one of them. Older forms write to `idst0`.
#pragma once

#include "tessera/kernel/compute/sfpu.hpp"

namespace ckernel {

/// idst0 + idst1.
inline void add_binary_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Add, site);
}
template <DstRoundingMode rounding = DstRoundingMode::Default, bool is_fp32_dest_acc_en = false>
void add_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                     CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Add, rounding, idst0, idst1, odst,
                                 "add_binary_tile", site);
}
inline void add_binary_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    add_binary_tile<>(idst0, idst1, idst0, site);
}

/// idst0 − idst1.
inline void sub_binary_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Sub, site);
}
template <DstRoundingMode rounding = DstRoundingMode::Default, bool is_fp32_dest_acc_en = false>
void sub_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                     CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Sub, rounding, idst0, idst1, odst,
                                 "sub_binary_tile", site);
}
inline void sub_binary_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    sub_binary_tile<>(idst0, idst1, idst0, site);
}

/// idst1 − idst0.
inline void rsub_binary_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Rsub, site);
}
template <DstRoundingMode rounding = DstRoundingMode::Default, bool is_fp32_dest_acc_en = false>
void rsub_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                      CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Rsub, rounding, idst0, idst1, odst,
                                 "rsub_binary_tile", site);
}
inline void rsub_binary_tile(std::uint32_t idst0, std::uint32_t idst1,
                             CallSite site = CallSite::here()) {
    rsub_binary_tile<>(idst0, idst1, idst0, site);
}

/// idst0 · idst1.
inline void mul_binary_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Mul, site);
}
template <bool is_fp32_dest_acc_en = false>
void mul_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                     CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Mul, DstRoundingMode::NearestEven,
                                 idst0, idst1, odst, "mul_binary_tile", site);
}
inline void mul_binary_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    mul_binary_tile<>(idst0, idst1, idst0, site);
}

/// idst0 / idst1.
inline void div_binary_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Div, site);
}
template <bool is_fp32_dest_acc_en = false>
void div_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                     CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Div, DstRoundingMode::NearestEven,
                                 idst0, idst1, odst, "div_binary_tile", site);
}
inline void div_binary_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    div_binary_tile<>(idst0, idst1, idst0, site);
}

/// idst0 ^ idst1.
inline void power_binary_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Power, site);
}
template <bool is_fp32_dest_acc_en = false>
void power_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                       CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Power, DstRoundingMode::NearestEven,
                                 idst0, idst1, odst, "power_binary_tile", site);
}
inline void power_binary_tile(std::uint32_t idst0, std::uint32_t idst1,
                              CallSite site = CallSite::here()) {
    power_binary_tile<>(idst0, idst1, idst0, site);
}

/// the greater.
inline void binary_max_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Max, site);
}
inline void binary_max_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            int /*vector_mode*/ = VectorMode::RC,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Max, DstRoundingMode::NearestEven,
                                 idst0, idst1, odst, "binary_max_tile", site);
}

/// the smaller.
inline void binary_min_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary_init(tessera::kernel::SfpuBinary::Min, site);
}
inline void binary_min_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            int /*vector_mode*/ = VectorMode::RC,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_binary(tessera::kernel::SfpuBinary::Min, DstRoundingMode::NearestEven,
                                 idst0, idst1, odst, "binary_min_tile", site);
}

/// Older form of binary_max_tile: the greater goes to idst0.
inline void max_tile_init(CallSite site = CallSite::here()) {
    binary_max_tile_init(site);
}
inline void max_tile(std::uint32_t idst0, std::uint32_t idst1, int /*vector_mode*/ = VectorMode::RC,
                     CallSite site = CallSite::here()) {
    binary_max_tile(idst0, idst1, idst0, VectorMode::RC, site);
}

}  // namespace ckernel
