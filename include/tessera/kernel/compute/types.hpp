// SPDX-License-Identifier: Apache-2.0
// Names of the compute kernel API: kinds of operations, dimensions of broadcasts and reductions,
// and macros for threads.
#pragma once

#include <cstdint>

#include "tessera/kernel/types.hpp"

/// One fiber runs unpack, math and pack in program order, so each macro is its argument.
#define UNPACK(x) x
#define MATH(x) x
#define PACK(x) x
#define ALWI inline __attribute__((always_inline))

// Entry spelling before tt-metal #35691: `namespace NAMESPACE { void MAIN { … } }`.
#define NAMESPACE tessera_kernel_entry
#define MAIN kernel_main()

namespace tessera_kernel_entry {
/// Entry of kernels in the older spelling. The toolchain calls the entry that the kernel defines.
void kernel_main();
}  // namespace tessera_kernel_entry

namespace tt {
/// Argument of acquire_dst and release_dst before 2024.
enum class DstMode : std::uint8_t { Full, Half, Tile };
}  // namespace tt

namespace tessera::kernel {
/// Throws KernelFault{Unimplemented}: the chip has this form of a call, but Tessera does not.
[[noreturn]] void refuse_form(const char* form, CallSite site);
}  // namespace tessera::kernel

namespace ckernel {
using tessera::CallSite;

enum EltwiseBinaryType : std::uint8_t { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType : std::uint8_t { NONE, DEST_TO_SRCA, DEST_TO_SRCB };
enum class SrcOrder : std::uint8_t { Default, Reverse };
enum class DstRoundingMode : std::uint8_t { Default, NearestEven };
/// Order in which the packer writes a tile; a template argument of LLK calls since mid-2026.
enum class PackMode : std::uint8_t { Default, Untilize, Tilize };
/// Strides of an unpacker that a change of format sets. Here, every call sets all of them.
enum class p_dim_stride_target : std::uint8_t { IGNORE, FACE_ROW_MAJOR };

/// Unscoped enumerations, whose names convert to integers. They are in a class, so that a kernel
/// may define the same names.
struct PlainEnumerations {
    /// Part of the second operand that is applied to the whole tile: column 0, row 0 or element
    /// [0][0].
    enum BroadcastType : std::uint8_t { NONE, COL, ROW, SCALAR };
    enum PoolType : std::uint8_t { SUM, AVG, MAX, MIN, NO_POOL };
    /// REDUCE_ROW sums along W into column 0, REDUCE_COL along H into row 0, SCALAR into [0][0].
    enum ReduceDim : std::uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR, NO_REDUCE };
    /// Faces that an SFPU function processes: R faces 0 and 1, C faces 0 and 2, RC all four.
    enum VectorMode : std::uint8_t { None = 0, R = 1, C = 2, RC = 4 };
    enum ReluType : std::uint8_t { NO_RELU, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };
};
using BroadcastType = PlainEnumerations::BroadcastType;
using PoolType = PlainEnumerations::PoolType;
using ReduceDim = PlainEnumerations::ReduceDim;
using VectorMode = PlainEnumerations::VectorMode;
using ReluType = PlainEnumerations::ReluType;
}  // namespace ckernel

// Data-movement kernels see these names with their namespace only, as on the chip. They may then
// define the same names themselves. A built-in kernel is compiled once for all processors.
#if !defined(COMPILE_FOR_BRISC) && !defined(COMPILE_FOR_NCRISC)
using namespace ckernel;
#endif
