// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit that the packer's thread calls on the chip. One fiber runs all three
// threads, so they are the functions of the same name without _pack.
#pragma once

#include "tessera/kernel/compute/sfpu.hpp"
#include "tessera/kernel/compute/sfpu_formulas.hpp"

namespace ckernel {

inline void silu_tile_init_pack(CallSite site = CallSite::here()) {
    silu_tile_init(site);
}
inline void silu_tile_pack(std::uint32_t idst, CallSite site = CallSite::here()) {
    silu_tile(idst, site);
}
template <bool fast_and_approx = true>
void gelu_tile_init_pack(CallSite site = CallSite::here()) {
    gelu_tile_init<fast_and_approx>(site);
}
template <bool fast_and_approx = true>
void gelu_tile_pack(std::uint32_t idst, CallSite site = CallSite::here()) {
    gelu_tile<fast_and_approx>(idst, VectorMode::RC, site);
}
template <bool fast_and_approx = false>
void tanh_tile_init_pack(CallSite site = CallSite::here()) {
    tanh_tile_init<fast_and_approx>(site);
}
template <bool fast_and_approx = false>
void tanh_tile_pack(std::uint32_t idst, CallSite site = CallSite::here()) {
    tanh_tile<fast_and_approx>(idst, VectorMode::RC, site);
}
template <bool fast_and_approx = false>
void sigmoid_tile_init_pack(CallSite site = CallSite::here()) {
    sigmoid_tile_init<fast_and_approx>(site);
}
template <VectorMode vec_mode = VectorMode::RC, bool fast_and_approx = false>
void sigmoid_tile_pack(std::uint32_t idst, CallSite site = CallSite::here()) {
    sigmoid_tile<vec_mode, fast_and_approx>(idst, site);
}
inline void relu_max_tile_init_pack(CallSite site = CallSite::here()) {
    relu_max_tile_init(site);
}
inline void relu_max_tile_pack(std::uint32_t idst, std::uint32_t limit,
                               CallSite site = CallSite::here()) {
    relu_max_tile(idst, limit, site);
}
inline void hardsigmoid_tile_init_pack(CallSite site = CallSite::here()) {
    hardsigmoid_tile_init(0, 0, site);
}
inline void hardsigmoid_tile_pack(std::uint32_t idst, CallSite site = CallSite::here()) {
    hardsigmoid_tile(idst, site);
}
inline void hardtanh_tile_init_pack(CallSite site = CallSite::here()) {
    hardtanh_tile_init(0, 0, site);
}
inline void hardtanh_tile_pack(std::uint32_t idst, std::uint32_t least, std::uint32_t greatest,
                               CallSite site = CallSite::here()) {
    hardtanh_tile(idst, least, greatest, site);
}
inline void selu_tile_init_pack(CallSite site = CallSite::here()) {
    selu_tile_init(0, 0, site);
}
inline void selu_tile_pack(std::uint32_t idst, std::uint32_t scale, std::uint32_t alpha,
                           CallSite site = CallSite::here()) {
    selu_tile(idst, scale, alpha, site);
}
inline void softplus_tile_init_pack(CallSite site = CallSite::here()) {
    softplus_tile_init(0, 0, site);
}
inline void softplus_tile_pack(std::uint32_t idst, std::uint32_t beta,
                               std::uint32_t beta_reciprocal, std::uint32_t threshold,
                               CallSite site = CallSite::here()) {
    softplus_tile(idst, beta, beta_reciprocal, threshold, site);
}

}  // namespace ckernel
