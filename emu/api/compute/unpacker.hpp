// SPDX-License-Identifier: Apache-2.0
// Unpacks tiles from L1 to DST, for all calls that copy.
#pragma once

#include <cstdint>

#include "emu/api/compute/units.hpp"
#include "emu/core/dst.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/call_site.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Checks that a tile of `format` from CB `cb` fits into DST.
/// Errors   KernelFault{UndefinedBehavior} under strict rules if it has 32-bit integers and DST is
///          16 bits wide; other rules note a finding.
void check_fits_dst(const Dst& dst, DataFormat format, std::uint32_t cb, const char* call,
                    CallSite site);
/// Truncates 32-bit integers to the signed 16 bits that a 16-bit DST keeps. Leaves other tiles
/// unchanged.
void keep_in_narrow_dst(const Dst& dst, DataFormat format, float* values);

/// Unpacks an operand of a copy: through SrcA, or directly to a 32-bit DST if the program sets
/// UnpackToDestFp32 for the CB.
void unpack_for_copy(const ComputeState& units, std::uint32_t cb, const Operand& operand,
                     float* values);

/// Trace event of a copy to DST.
struct CopyAct {
    EventKind kind = EventKind::Copy;
    std::uint8_t detail = 0;
};

/// Copies a tile through SrcA to DST, rounded to the width of DST, and returns the DST tile.
/// Errors   as check_fits_dst and operand_tile.
float* copy_to_dst(KernelThread& thread, std::uint32_t cb, std::uint32_t tile_index,
                   std::uint32_t dst_index, CopyAct act, const char* call, CallSite site);

/// Returns a DST tile of any content. A cleared tile becomes zeros.
[[nodiscard]] inline float* dst_tile_as_is(Dst& dst, std::uint32_t index, const char* call,
                                           CallSite site) {
    const DstContent content = dst.content(index, call, site);
    return dst.update(index, call, site,
                      content == DstContent::Cleared ? DstContent::Float : content);
}

}  // namespace tessera
