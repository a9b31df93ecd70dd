// SPDX-License-Identifier: Apache-2.0
// Units of the running thread and checked operands in L1, which every compute call needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/core/compute_state.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/call_site.hpp"

namespace tessera {

/// State of the running compute kernel. Notes the call as the thread's last one.
/// Errors   KernelFault{UndefinedBehavior} on a data-movement thread.
[[nodiscard]] ComputeState& current_units(const char* call, CallSite site);

/// Register an operand goes through, whose format it must have.
enum class SourceRegister : std::uint8_t { SrcA, SrcB, Unchecked };

/// A tile in L1 that cb_wait_front granted to the thread. A tiny one has been copied to a 32×32 one
/// (tile::widen), whose bytes these are.
struct Operand {
    const std::byte* bytes;
    DataFormat format;
    Tile tile = {};
};

/// Tile `index` behind the read pointer of CB `cb`.
/// Errors   KernelFault{UndefinedBehavior} if it was not granted or its format is not the
///          register's; {OutOfBounds} if it runs past the buffer's end.
[[nodiscard]] Operand operand_tile(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                                   SourceRegister source, const char* call, const CallSite& site);
/// As operand_tile, for an operation of the matrix unit, which takes no integers.
[[nodiscard]] Operand float_operand(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                                    SourceRegister source, const char* call, const CallSite& site);
/// As float_operand, for operations that take int8 as well.
[[nodiscard]] Operand matrix_operand(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                                     SourceRegister source, const char* call, const CallSite& site);
/// Returns whether both operands of the matrix unit are int8.
/// Errors   KernelFault{Unsupported} if one of them alone is.
[[nodiscard]] bool are_int8(const Operand& a, const Operand& b, const char* call,
                            const CallSite& site);
/// `size` granted bytes at the read pointer of CB `cb`: row-major elements, whatever the page.
[[nodiscard]] Operand operand_bytes(KernelThread& thread, std::uint32_t cb, std::uint64_t size,
                                    const char* call, const CallSite& site);

/// Bytes of L1 behind the write pointer of CB `cb`, inside the reserved pages.
struct Target {
    std::byte* bytes;
    DataFormat format;
    Tile tile = {};
};

/// The page that `offset` bytes behind the write pointer fall on, with room for `size` bytes.
/// Errors   KernelFault{UndefinedBehavior} if that page is not reserved or the packer is
///          configured for another format; {OutOfBounds} if it runs past the buffer's end.
[[nodiscard]] Target pack_target(KernelThread& thread, std::uint32_t cb, std::uint64_t offset,
                                 std::uint64_t size, const char* call, const CallSite& site);

/// Throws that `call` needs `wanted_init`, and names the init that ran last.
[[noreturn]] void refuse_unarmed(const ArmedOperation& armed, const char* call,
                                 const char* wanted_init, CallSite site);

inline void require_armed(const ArmedOperation& armed, UnitOperation operation, const char* call,
                          const char* wanted_init, CallSite site) {
    if (armed.operation != operation) [[unlikely]] {
        refuse_unarmed(armed, call, wanted_init, site);
    }
}

/// Rounds a DST tile that an operation just wrote, if DST is 16 bits wide.
void round_for_dst(const Dst& dst, float* tile);

}  // namespace tessera
