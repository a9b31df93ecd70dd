// SPDX-License-Identifier: Apache-2.0
// Functions of one DST tile and a scalar, which is an fp32 bit pattern unless said otherwise.
#pragma once

#include <bit>

#include "tessera/kernel/compute/sfpu.hpp"

namespace ckernel {

/// One init for the five operations below. div_unary_tile takes the RECIPROCAL of the divisor, as
/// on the chip; rsub_unary_tile computes scalar − x.
inline void binop_with_scalar_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::AddScalar, site);
}
inline void add_unary_tile(std::uint32_t idst, std::uint32_t param1,
                           CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::AddScalar, idst, VectorMode::RC, param1,
                          "add_unary_tile", site);
}
inline void sub_unary_tile(std::uint32_t idst, std::uint32_t param1,
                           CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::SubScalar, idst, VectorMode::RC, param1,
                          "sub_unary_tile", site);
}
inline void mul_unary_tile(std::uint32_t idst, std::uint32_t param1,
                           CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::MulScalar, idst, VectorMode::RC, param1,
                          "mul_unary_tile", site);
}
inline void div_unary_tile(std::uint32_t idst, std::uint32_t param1,
                           CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::MulScalar, idst, VectorMode::RC, param1,
                          "div_unary_tile", site);
}
inline void rsub_unary_tile(std::uint32_t idst, std::uint32_t param1,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::RsubScalar, idst, VectorMode::RC, param1,
                          "rsub_unary_tile", site);
}
/// Older name of rsub_unary_tile.
inline void rsub_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::RsubScalar, site);
}
inline void rsub_tile(std::uint32_t idst, std::uint32_t param1, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::RsubScalar, idst, VectorMode::RC, param1,
                          "rsub_tile", site);
}

/// min(max(x, 0), upper).
inline void relu_max_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::ReluMax, site);
}
inline void relu_max_tile(std::uint32_t idst, std::uint32_t upper,
                          CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::ReluMax, idst, VectorMode::RC, upper,
                          "relu_max_tile", site);
}

/// max(x, lower).
inline void relu_min_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::ReluMin, site);
}
inline void relu_min_tile(std::uint32_t idst, std::uint32_t lower,
                          CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::ReluMin, idst, VectorMode::RC, lower,
                          "relu_min_tile", site);
}

/// x, or slope · x below 0.
inline void leaky_relu_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::LeakyRelu, site);
}
inline void leaky_relu_tile(std::uint32_t idst, std::uint32_t slope,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::LeakyRelu, idst, VectorMode::RC, slope,
                          "leaky_relu_tile", site);
}

/// x^exponent for an unsigned integer exponent, by repeated multiplication.
/// Errors   Unimplemented for an fp32 bit pattern (the chip's later form).
inline void power_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Power, site);
}
inline void power_tile(std::uint32_t idst, std::uint32_t exponent,
                       CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Power, idst, VectorMode::RC, exponent,
                          "power_tile", site);
}
inline void power_iterative_tile_init(CallSite site = CallSite::here()) {
    power_tile_init(site);
}
inline void power_iterative_tile(std::uint32_t idst, std::uint32_t exponent,
                                 CallSite site = CallSite::here()) {
    power_tile(idst, exponent, site);
}

/// Every element becomes the value; nothing needs to be in the tile before.
inline void fill_tile_init(CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_init(tessera::kernel::Sfpu::Fill, site);
}
inline void fill_tile(std::uint32_t idst, float param0, CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Fill, idst, VectorMode::RC,
                          std::bit_cast<std::uint32_t>(param0), "fill_tile", site);
}
/// As fill_tile, from an fp32 bit pattern.
inline void fill_tile_bitcast(std::uint32_t idst, std::uint32_t param0,
                              CallSite site = CallSite::here()) {
    tessera::kernel::sfpu(tessera::kernel::Sfpu::Fill, idst, VectorMode::RC, param0,
                          "fill_tile_bitcast", site);
}

}  // namespace ckernel
