// SPDX-License-Identifier: Apache-2.0
// Which functions of the vector unit were initialised, and rounding of what they store.
#pragma once

#include <cstdint>

#include "emu/core/compute_state.hpp"
#include "tessera/call_site.hpp"
#include "tessera/kernel/compute/sfpu.hpp"

namespace tessera {

/// Checks that a function that keeps constants in the vector unit had its init in this launch.
/// Errors   KernelFault{UndefinedBehavior} naming the init.
void require_sfpu_init(const ComputeState& units, kernel::Sfpu function, const char* call,
                       CallSite site);
void require_sfpu_init(const ComputeState& units, kernel::SfpuBinary operation, const char* call,
                       CallSite site);

/// Drops the lower 16 bits of a DST tile, if DST is 16 bits wide: a store without a rounding step.
void truncate_for_dst(const Dst& dst, float* tile);

}  // namespace tessera
