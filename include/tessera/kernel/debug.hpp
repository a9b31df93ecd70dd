// SPDX-License-Identifier: Apache-2.0
// Debugging of kernels: DPRINT, ASSERT and waypoints.
// DPRINT and DEVICE_PRINT are accepted and their output is discarded; waypoints do nothing. Macros
// here are the vendor's.
#pragma once

#include "tessera/kernel/types.hpp"

namespace tessera::kernel {

/// Takes whatever a kernel prints and drops it.
struct DiscardedOutput {
    template <class T>
    const DiscardedOutput& operator<<(const T& /*value*/) const {
        return *this;
    }
};
/// Raises the fault of a kernel's own failed ASSERT.
/// Errors   UndefinedBehavior naming the condition.
[[noreturn]] void assertion_failed(const char* condition, CallSite site);
/// Errors   Unimplemented: a functional run has no clock.
[[noreturn]] std::uint64_t read_clock(const char* call, CallSite site);

}  // namespace tessera::kernel

#define DPRINT ::tessera::kernel::DiscardedOutput()
#define DPRINT_UNPACK(...) static_cast<void>(0)
#define DPRINT_MATH(...) static_cast<void>(0)
#define DPRINT_PACK(...) static_cast<void>(0)
#define DPRINT_DATA0(...) static_cast<void>(0)
#define DPRINT_DATA1(...) static_cast<void>(0)
#define DEVICE_PRINT(...) static_cast<void>(0)

/// Manipulators of DPRINT.
struct ENDL {};
struct HEX {};
struct DEC {};
struct OCT {};
struct FIXED {};
struct DEFAULTFLOAT {};
/// Sets the width of the next number that DPRINT prints.
struct SETW {
    explicit constexpr SETW(int /*width*/) {}
};
/// Sets the digits of numbers that DPRINT prints.
struct SETPRECISION {
    explicit constexpr SETPRECISION(int /*digits*/) {}
};
/// A float that DPRINT prints.
struct F32 {
    explicit constexpr F32(float /*value*/) {}
};
/// The bits of a bfloat16 that DPRINT prints.
struct BF16 {
    explicit constexpr BF16(std::uint16_t /*value*/) {}
};
/// An unsigned integer that DPRINT prints.
struct U32 {
    explicit constexpr U32(std::uint32_t /*value*/) {}
};
/// Rows and columns of a tile that a TileSlice prints.
struct SliceRange {
    std::uint8_t h0 = 0, h1 = 32, hs = 8, w0 = 0, w1 = 32, ws = 8;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
};
/// Which side of a circular buffer, and which of its pointers, a TileSlice reads.
enum TSliceCB : std::uint8_t { TSLICE_INPUT_CB, TSLICE_OUTPUT_CB };
enum TSlicePointer : std::uint8_t { TSLICE_RD_PTR, TSLICE_WR_PTR };
/// Elements of a tile in a circular buffer that DPRINT prints.
template <int kMaxElements = 64>
struct TileSliceOf {
    template <class... Arguments>
    explicit constexpr TileSliceOf(const Arguments&... /*arguments*/) {}
};
using TileSlice = TileSliceOf<>;
#define TSLICE(...) TileSlice(__VA_ARGS__)

#define ASSERT(condition, ...)          \
    ((condition) ? static_cast<void>(0) \
                 : ::tessera::kernel::assertion_failed(#condition, ::tessera::CallSite::here()))
#define WAYPOINT(name) static_cast<void>(0)
#define PAUSE() static_cast<void>(0)

/// Errors   Unimplemented until runs carry a timing model.
inline std::uint64_t get_timestamp(tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::read_clock("get_timestamp", site);
}
inline std::uint32_t get_timestamp_32b(tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::read_clock("get_timestamp_32b", site);
}
