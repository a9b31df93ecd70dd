// SPDX-License-Identifier: Apache-2.0
// Converts a DST tile to bytes in L1, for all calls that pack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/api/compute/units.hpp"
#include "emu/core/compute_state.hpp"
#include "tessera/call_site.hpp"

namespace tessera {

/// Returns whether tiles of a format are packed: integers always, other formats with Maths::On.
[[nodiscard]] bool packs_values(const ComputeState& units, DataFormat format);

/// Returns the values of a DST tile, masked and rectified as PackMode demands. They are valid until
/// the next call, because they may be in scratch tile 2.
/// Errors   KernelFault{UndefinedBehavior} if the tile holds floats and the format is an integer
///          one, or vice versa; as Dst::packed.
[[nodiscard]] const float* packed_tile(ComputeState& units, std::uint32_t dst_index,
                                       DataFormat format, const char* call, CallSite site);

/// Converts values to `format` and writes them to `out`, or adds them to the tile there if
/// `mode.accumulates_in_l1`.
/// Errors   KernelFault{Unimplemented} if it accumulates integers.
void write_tile(const PackMode& mode, DataFormat format, const float* values, std::byte* out,
                const char* call, CallSite site);
/// Does the same as write_tile for the rows and columns of the target's tile, which may be tiny.
void write_target(const PackMode& mode, const Target& target, const float* values, const char* call,
                  CallSite site);

}  // namespace tessera
