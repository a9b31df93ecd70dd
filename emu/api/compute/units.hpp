// SPDX-License-Identifier: Apache-2.0
// Units of the running thread, and checked operands in L1, for all compute calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emu/core/compute_state.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/call_site.hpp"

namespace tessera {

/// Returns the state of the running compute kernel. Sets the call as the thread's last one.
/// Errors   KernelFault{UndefinedBehavior} on a data-movement thread.
[[nodiscard]] ComputeState& current_units(const char* call, CallSite site);

/// Source register that receives an operand. Its configured format must be the operand's.
enum class SourceRegister : std::uint8_t { SrcA, SrcB, Unchecked };

/// Tile in L1 that cb_wait_front granted to the thread. For a tiny tile, `bytes` are those of its
/// 32×32 copy (tile::widen).
struct Operand {
    const std::byte* bytes;
    DataFormat format;
    Tile tile = {};
};

/// Returns the tile `index` tiles after the read pointer of CB `cb`.
/// Errors   KernelFault{UndefinedBehavior} if cb_wait_front has not granted it, or its format is
///          not the register's; {OutOfBounds} if it extends past the buffer's end.
[[nodiscard]] Operand operand_tile(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                                   SourceRegister source, const char* call, const CallSite& site);
/// Does the same as operand_tile, for operations of the matrix unit without integers.
/// Errors   as operand_tile, and for an integer format.
[[nodiscard]] Operand float_operand(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                                    SourceRegister source, const char* call, const CallSite& site);
/// Does the same as float_operand, for operations that also accept int8.
[[nodiscard]] Operand matrix_operand(KernelThread& thread, std::uint32_t cb, std::uint32_t index,
                                     SourceRegister source, const char* call, const CallSite& site);
/// Returns whether both operands of the matrix unit are int8.
/// Errors   KernelFault{Unsupported} if only one of them is.
[[nodiscard]] bool are_int8(const Operand& a, const Operand& b, const char* call,
                            const CallSite& site);
/// Returns `size` granted bytes at the read pointer of CB `cb`, as row-major elements, whatever the
/// page size.
/// Errors   as operand_tile, without a register.
[[nodiscard]] Operand operand_bytes(KernelThread& thread, std::uint32_t cb, std::uint64_t size,
                                    const char* call, const CallSite& site);

/// Bytes in the reserved pages of a CB that the packer writes next.
struct Target {
    std::byte* bytes;
    DataFormat format;
    Tile tile = {};
};

/// Returns the `size` bytes of CB `cb` that begin `offset` bytes after the write pointer.
/// Errors   KernelFault{UndefinedBehavior} if their page is not reserved, or the packer is
///          configured for another format; {OutOfBounds} if they extend past the buffer's end.
[[nodiscard]] Target pack_target(KernelThread& thread, std::uint32_t cb, std::uint64_t offset,
                                 std::uint64_t size, const char* call, const CallSite& site);

/// Throws KernelFault: `call` needs `wanted_init`. The message names the init that ran last.
[[noreturn]] void refuse_unarmed(const ArmedOperation& armed, const char* call,
                                 const char* wanted_init, CallSite site);

/// Calls refuse_unarmed unless the units are armed for `operation`.
inline void require_armed(const ArmedOperation& armed, UnitOperation operation, const char* call,
                          const char* wanted_init, CallSite site) {
    if (armed.operation != operation) [[unlikely]] {
        refuse_unarmed(armed, call, wanted_init, site);
    }
}

/// Rounds a DST tile to bfloat16 after an operation has written it, if DST is 16 bits wide.
void round_for_dst(const Dst& dst, float* tile);

}  // namespace tessera
