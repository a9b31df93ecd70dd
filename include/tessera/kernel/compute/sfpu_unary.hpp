// SPDX-License-Identifier: Apache-2.0
// Functions of one DST tile without a parameter: X_tile_init(), X_tile(idst).
// Template arguments choose approximations on the chip; results here are exact.
#pragma once

#include "tessera/kernel/compute/sfpu.hpp"

namespace ckernel {

/// |x|.
inline void abs_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Abs, site);
}
inline void abs_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Abs, idst, VectorMode::RC, 0, "abs_tile", site);
}

/// −x.
inline void negative_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Negative, site);
}
inline void negative_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Negative, idst, VectorMode::RC, 0, "negative_tile",
                          site);
}

/// x².
inline void square_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Square, site);
}
inline void square_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Square, idst, VectorMode::RC, 0, "square_tile",
                          site);
}

/// −1, 0 or 1.
inline void sign_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Sign, site);
}
inline void sign_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Sign, idst, VectorMode::RC, 0, "sign_tile", site);
}

/// x.
inline void identity_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Identity, site);
}
inline void identity_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Identity, idst, VectorMode::RC, 0, "identity_tile",
                          site);
}

/// max(x, 0).
inline void relu_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Relu, site);
}
inline void relu_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Relu, idst, VectorMode::RC, 0, "relu_tile", site);
}

/// x · sigmoid(x).
inline void silu_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Silu, site);
}
inline void silu_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Silu, idst, VectorMode::RC, 0, "silu_tile", site);
}

/// 1 where x = 0, else 0.
inline void eqz_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Eqz, site);
}
inline void eqz_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Eqz, idst, VectorMode::RC, 0, "eqz_tile", site);
}

/// 1 where x ≠ 0, else 0.
inline void nez_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Nez, site);
}
inline void nez_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Nez, idst, VectorMode::RC, 0, "nez_tile", site);
}

/// 1 where x < 0, else 0.
inline void ltz_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Ltz, site);
}
inline void ltz_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Ltz, idst, VectorMode::RC, 0, "ltz_tile", site);
}

/// 1 where x > 0, else 0.
inline void gtz_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Gtz, site);
}
inline void gtz_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Gtz, idst, VectorMode::RC, 0, "gtz_tile", site);
}

/// 1 where x ≤ 0, else 0.
inline void lez_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Lez, site);
}
inline void lez_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Lez, idst, VectorMode::RC, 0, "lez_tile", site);
}

/// 1 where x ≥ 0, else 0.
inline void gez_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Gez, site);
}
inline void gez_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Gez, idst, VectorMode::RC, 0, "gez_tile", site);
}

/// 1 where x = 0, else 0.
inline void logical_not_unary_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Eqz, site);
}
inline void logical_not_unary_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Eqz, idst, VectorMode::RC, 0,
                          "logical_not_unary_tile", site);
}

}  // namespace ckernel
