// SPDX-License-Identifier: Apache-2.0
// Peak rate of a host core's fused multiply-adds, from registers only.
#pragma once

#include <cstdint>

#include "bench/paired.hpp"

namespace tessera::bench {

/// Runs independent chains of fp32 multiply-adds on each of `num_threads` threads at once, about
/// 0.2 ms each; amount in FLOP. The caller is one of the threads.
[[nodiscard]] Work fma_peak(std::uint32_t num_threads = 1);

}  // namespace tessera::bench
