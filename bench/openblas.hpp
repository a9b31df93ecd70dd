// SPDX-License-Identifier: Apache-2.0
// OpenBLAS as a peer, where the host has it: it is loaded when first asked for.
#pragma once

#include <cstdint>

#include "bench/paired.hpp"

namespace tessera::bench {

/// Whether libopenblas.so.0 was found. Loads it with the kernels of the host's vectors
/// (OPENBLAS_CORETYPE, unless that is set): 0.3.21 does not know newer processors by their model
/// and falls back to SSE3 there, at a fifth of its speed.
[[nodiscard]] bool has_openblas();

/// C = A · B, row-major fp32 matrices of M×K and K×N that are already in memory, on `num_threads`
/// threads; amount in FLOP. Precondition: has_openblas().
[[nodiscard]] Work sgemm(std::int32_t m, std::int32_t k, std::int32_t n, std::int32_t num_threads);

}  // namespace tessera::bench
