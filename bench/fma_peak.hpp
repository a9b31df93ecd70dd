// SPDX-License-Identifier: Apache-2.0
// The most that a host core's fused multiply-adds can give, from registers alone.
#pragma once

#include <cstdint>

#include "bench/paired.hpp"

namespace tessera::bench {

/// Independent chains of fp32 multiply-adds on each of `num_threads` threads at once, about 0.2 ms
/// each; amount in FLOP. One thread is the caller.
[[nodiscard]] Work fma_peak(std::uint32_t num_threads = 1);

}  // namespace tessera::bench
