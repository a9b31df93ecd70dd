// SPDX-License-Identifier: Apache-2.0
// The machine's side of sfpi vectors: which lanes are active, and DST as vectors of 32 lanes.
// Lane l of vector v holds row 4·⌊v/2⌋ + ⌊l/8⌋ of the DST tile's 64 rows of 16 values, column
// 2·(l mod 8) + (v mod 2). A tile has 32 vectors, 8 a face.
// Source   tt-isa-documentation, SFPLOAD and SFPSTORE.
#pragma once

#include <array>

#include "tessera/call_site.hpp"
#include "tessera/kernel/compute/sfpi_issue.hpp"
#include "tessera/kernel/compute/types.hpp"

namespace tessera::kernel {

inline constexpr std::uint32_t kLanes = 32;
/// Values of a vector register as bit patterns, by lane.
using LaneWords = std::array<std::uint32_t, kLanes>;
/// A bit for each lane.
using LaneMask = std::uint32_t;

/// Returns the lanes that stores and assignments change now.
LaneMask active_lanes();
void set_active_lanes(LaneMask lanes);
/// Copies a vector of DST; `index` counts from the vector that dst_reg is at, and `site` is where the
/// kernel states it.
/// Errors   KernelError{OutOfBounds} for a vector outside of DST.
void load_lanes(std::int32_t index, LaneWords& lanes, CallSite site);
/// Stores the active lanes. A 16-bit DST keeps the upper half of each float.
/// Errors   as load_lanes.
void store_lanes(std::int32_t index, LaneNumbers numbers, const LaneWords& lanes, CallSite site);
/// Moves dst_reg by a number of vectors.
void advance_lanes(std::int32_t vectors);
/// Sets dst_reg to the first vector of a face of a DST tile, with all lanes active.
/// Errors   KernelError{OutOfBounds} for a tile that DST does not have.
void begin_face(std::uint32_t idst, std::uint32_t face);
/// Records the instructions of sfpi vectors since the last such event as one event, if there are
/// any.
void record_vector_function();
/// Returns the programmable constant 0, 1 or 2.
std::uint32_t& lane_constant(std::uint32_t index);

/// Active lanes of one v_if … v_endif, which are SFPPUSHC … SFPPOPC. Its end activates the lanes of
/// the enclosing condition again.
class LaneCondition {
public:
    LaneCondition() : enclosing_(active_lanes()) { issue(); }
    ~LaneCondition() {
        issue();
        set_active_lanes(enclosing_);
    }
    LaneCondition(const LaneCondition&) = delete;
    LaneCondition& operator=(const LaneCondition&) = delete;
    LaneCondition(LaneCondition&&) = delete;
    LaneCondition& operator=(LaneCondition&&) = delete;

    /// Activates the lanes of `lanes` that no earlier branch has taken.
    void take(LaneMask lanes) {
        const LaneMask left = enclosing_ & ~taken_;
        taken_ |= left & lanes;
        set_active_lanes(left & lanes);
    }
    /// Activates the lanes that no branch has taken: SFPCOMPC.
    void otherwise() const {
        issue();
        set_active_lanes(enclosing_ & ~taken_);
    }
    /// Does the same as otherwise() for v_elseif, whose condition needs another SFPPUSHC.
    void otherwise_if() const {
        issue();
        otherwise();
    }
    /// Keeps the active lanes that are in `lanes`.
    static void narrow(LaneMask lanes) { set_active_lanes(active_lanes() & lanes); }

private:
    LaneMask enclosing_;
    LaneMask taken_ = 0;
};

}  // namespace tessera::kernel
