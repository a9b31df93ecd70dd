// SPDX-License-Identifier: Apache-2.0
// Exponential, logarithm, roots and activations of one DST tile.
// Template arguments choose approximations on the chip; results here are exact.
#pragma once

#include "tessera/kernel/compute/sfpu.hpp"

namespace ckernel {

/// ln x.
template <bool fast_and_approx = false, bool is_fp32_dest_acc = false>
void log_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Log, site);
}
template <bool fast_and_approx = false, bool is_fp32_dest_acc = false>
void log_tile(std::uint32_t idst, int vector_mode = VectorMode::RC,
              CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Log, idst, vector_mode, 0, "log_tile", site);
}

/// 1/x.
template <bool legacy_compat = true>
void recip_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Recip, site);
}
template <bool legacy_compat = true>
void recip_tile(std::uint32_t idst, int vector_mode = VectorMode::RC,
                CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Recip, idst, vector_mode, 0, "recip_tile", site);
}

/// √x.
template <bool fast_and_approx = false>
void sqrt_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Sqrt, site);
}
template <bool fast_and_approx = false>
void sqrt_tile(std::uint32_t idst, int vector_mode = VectorMode::RC,
               CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Sqrt, idst, vector_mode, 0, "sqrt_tile", site);
}

/// 1/√x.
template <bool legacy_compat = true, bool fast_and_approx = false>
void rsqrt_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Rsqrt, site);
}
template <bool legacy_compat = true, bool fast_and_approx = false>
void rsqrt_tile(std::uint32_t idst, int vector_mode = VectorMode::RC,
                CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Rsqrt, idst, vector_mode, 0, "rsqrt_tile", site);
}

/// tanh x.
template <bool fast_and_approx = false>
void tanh_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Tanh, site);
}
template <bool fast_and_approx = false>
void tanh_tile(std::uint32_t idst, int vector_mode = VectorMode::RC,
               CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Tanh, idst, vector_mode, 0, "tanh_tile", site);
}

/// x · Φ(x).
template <bool fast_and_approx = true>
void gelu_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Gelu, site);
}
template <bool fast_and_approx = true>
void gelu_tile(std::uint32_t idst, int vector_mode = VectorMode::RC,
               CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Gelu, idst, vector_mode, 0, "gelu_tile", site);
}

/// 1/(1 + e^−x).
template <bool fast_and_approx = false>
void sigmoid_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Sigmoid, site);
}
template <int vec_mode = VectorMode::RC, bool fast_and_approx = false>
void sigmoid_tile(std::uint32_t idst, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Sigmoid, idst, vec_mode, 0, "sigmoid_tile", site);
}

/// e^x, or e^(scale · x) with `scale_en`; `scale` is a bf16 bit pattern.
template <bool approx = false, bool fast_and_approx = true, std::uint32_t scale = 0x3F800000>
void exp_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Exp, site);
}
template <bool approx = false, bool fast_and_approx = true, bool scale_en = false,
          bool skip_positive_check = false, int iterations = 8>
void exp_tile(std::uint32_t idst, int vector_mode = VectorMode::RC, std::uint16_t scale = 0x3F80,
              CallSite site = CallSite::here()) {
    const std::uint32_t factor = scale_en ? std::uint32_t{scale} << 16U : 0x3F800000U;
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Exp, idst, vector_mode, factor, "exp_tile", site);
}

/// ln x · base_scale, an fp32 bit pattern (1/ln 2 gives the logarithm to base 2).
template <bool fast_and_approx = false>
void log_with_base_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::LogWithBase, site);
}
template <bool fast_and_approx = false>
void log_with_base_tile(std::uint32_t idst, std::uint32_t base_scale,
                        CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::LogWithBase, idst, VectorMode::RC, base_scale,
                          "log_with_base_tile", site);
}

}  // namespace ckernel
