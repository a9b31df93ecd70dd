// SPDX-License-Identifier: Apache-2.0
// The packer's way from a DST tile to bytes in L1, shared by the calls that pack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/api/compute/units.hpp"
#include "emu/core/compute_state.hpp"
#include "tessera/call_site.hpp"

namespace tessera {

/// Whether tiles of a format are computed: integers are even with Maths::Off.
[[nodiscard]] bool packs_values(const ComputeState& units, DataFormat format);

/// Values of a DST tile as the packer sends them on: masked and rectified. Valid until the next
/// call (they may lie in scratch tile 2).
/// Errors   KernelFault{UndefinedBehavior} if the tile holds floats for an integer format or the
///          other way round, and as Dst::packed.
[[nodiscard]] const float* packed_tile(ComputeState& units, std::uint32_t dst_index,
                                       DataFormat format, const char* call, CallSite site);

/// Converts values to `format` at `out`, or adds them to what is there.
void write_tile(const PackMode& mode, DataFormat format, const float* values, std::byte* out,
                const char* call, CallSite site);
/// As write_tile, as much of the tile as the target's CB holds of each.
void write_target(const PackMode& mode, const Target& target, const float* values, const char* call,
                  CallSite site);

}  // namespace tessera
