// SPDX-License-Identifier: Apache-2.0
// Ways from L1 and DST into operations, shared by the calls that unpack.
#pragma once

#include <cstdint>

#include "emu/api/compute/units.hpp"
#include "emu/core/dst.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/call_site.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Errors   KernelFault{UndefinedBehavior} for 32-bit integers on their way to a 16-bit DST.
void check_fits_dst(const Dst& dst, DataFormat format, std::uint32_t cb, const char* call,
                    CallSite site);
/// Cuts integers of 32 bits to those that a 16-bit DST keeps.
void keep_in_narrow_dst(const Dst& dst, DataFormat format, float* values);

/// Unpacks an operand that is only copied: through SrcA, or straight to a 32-bit DST where the
/// program asked for UnpackToDestFp32.
void unpack_for_copy(const ComputeState& units, std::uint32_t cb, const Operand& operand,
                     float* values);

/// Event of the trace for a move to DST.
struct CopyAct {
    EventKind kind = EventKind::Copy;
    std::uint8_t detail = 0;
};

/// Moves a tile through SrcA to DST, rounded as DST needs it, and returns the DST tile.
/// Errors   KernelFault{UndefinedBehavior} for 32-bit integers in a 16-bit DST, and as
///          operand_tile.
float* copy_to_dst(KernelThread& thread, std::uint32_t cb, std::uint32_t tile_index,
                   std::uint32_t dst_index, CopyAct act, const char* call, CallSite site);

/// A DST tile whatever it holds; a cleared one becomes zeros.
[[nodiscard]] inline float* dst_tile_as_is(Dst& dst, std::uint32_t index, const char* call,
                                           CallSite site) {
    const DstContent content = dst.content(index, call, site);
    return dst.update(index, call, site,
                      content == DstContent::Cleared ? DstContent::Float : content);
}

}  // namespace tessera
