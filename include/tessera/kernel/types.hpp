// SPDX-License-Identifier: Apache-2.0
// Names that every kernel may use unqualified.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/call_site.hpp"
#include "tessera/data_format.hpp"
#include "tessera/tile.hpp"

using std::int32_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using std::uintptr_t;
using uint = unsigned int;

using tessera::DataFormat;
using tessera::MathFidelity;

/// Address-space qualifiers of the chip's compiler. Here they are empty, because all memory is in
/// one window.
#define tt_l1_ptr
#define tt_reg_ptr
#define FORCE_INLINE inline __attribute__((always_inline))

namespace tt {
using tessera::DataFormat;

// clang-format off
enum CBIndex : std::uint8_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31,
    SIZE
};

/// Names of circular buffers before tt-metal #7493 (2024-11-24).
enum CB : std::uint8_t {
    c_in0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7,
    dataflow0, dataflow1, dataflow2, dataflow3, dataflow4, dataflow5, dataflow6, dataflow7,
    c_out0, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7,
    c_intermed0, c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5,
    c_intermed6, c_intermed7
};
// clang-format on

namespace constants {
inline constexpr std::uint32_t TILE_HEIGHT = 32;
inline constexpr std::uint32_t TILE_WIDTH = 32;
inline constexpr std::uint32_t TILE_HW = TILE_HEIGHT * TILE_WIDTH;
inline constexpr std::uint32_t FACE_HEIGHT = 16;
inline constexpr std::uint32_t FACE_WIDTH = 16;
inline constexpr std::uint32_t FACE_HW = FACE_HEIGHT * FACE_WIDTH;
}  // namespace constants
}  // namespace tt

namespace ckernel {
using tt::constants::TILE_HEIGHT;
using tt::constants::TILE_WIDTH;
inline constexpr std::uint32_t TILE_R_DIM = tt::constants::TILE_HEIGHT;
inline constexpr std::uint32_t TILE_C_DIM = tt::constants::TILE_WIDTH;
inline constexpr std::uint32_t FACE_R_DIM = tt::constants::FACE_HEIGHT;
inline constexpr std::uint32_t FACE_C_DIM = tt::constants::FACE_WIDTH;
}  // namespace ckernel

namespace tt::tt_fabric {
/// Links of a mesh, as programs pass it to kernels.
enum class Topology : std::uint8_t { NeighborExchange, Linear, Ring, Mesh, Torus };
}  // namespace tt::tt_fabric
namespace ttnn::ccl {
using tt::tt_fabric::Topology;
}  // namespace ttnn::ccl

namespace tt::tt_metal {
/// Memories of a buffer, as programs pass them to kernels.
enum class BufferType : std::uint8_t { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
/// Layouts of a tensor's pages over banks, as address generators of kernels number them.
enum class TensorMemoryLayout : std::uint8_t {
    INTERLEAVED = 0,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED = 3,
    BLOCK_SHARDED = 4,
};
}  // namespace tt::tt_metal

// The chip's size_t has 32 bits, so that kernels compare sizes with uint32_t.
namespace std {
constexpr uint64_t min(uint32_t a, uint64_t b) {
    return b < a ? b : a;
}
constexpr uint64_t min(uint64_t a, uint32_t b) {
    return b < a ? b : a;
}
constexpr uint64_t max(uint32_t a, uint64_t b) {
    return a < b ? b : a;
}
constexpr uint64_t max(uint64_t a, uint32_t b) {
    return a < b ? b : a;
}
}  // namespace std

/// Entry of every kernel.
void kernel_main();
