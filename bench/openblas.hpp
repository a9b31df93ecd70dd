// SPDX-License-Identifier: Apache-2.0
// OpenBLAS as a peer, if the host has it: it is loaded at the first request.
#pragma once

#include <cstdint>

#include "bench/paired.hpp"

namespace tessera::bench {

/// Returns whether libopenblas.so.0 was found. Loads it with the kernels for the host's vectors
/// (OPENBLAS_CORETYPE, unless that is set): version 0.3.21 does not know newer processors by their
/// model. It would use SSE3 there, at a fifth of the speed.
[[nodiscard]] bool has_openblas();

/// Computes C = A · B with row-major fp32 matrices of M×K and K×N in memory, on `num_threads`
/// threads; amount in FLOP. Precondition: has_openblas().
[[nodiscard]] Work sgemm(std::int32_t m, std::int32_t k, std::int32_t n, std::int32_t num_threads);

}  // namespace tessera::bench
