// SPDX-License-Identifier: Apache-2.0
// Resolves a 64-bit NoC address and a size to the bytes they name on a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/call_site.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/trace.hpp"

namespace tessera {

class Core;
class Device;
class KernelThread;
struct L1Spec;

/// Bytes of a device that a NoC address names.
struct Endpoint {
    std::byte* bytes = nullptr;
    Core* core = nullptr;       ///< owner if the bytes are in an L1; null for DRAM
    std::uint64_t address = 0;  ///< offset in the L1, or in the DRAM node
    NocPlace place;             ///< core or bank, as traces record it
};

/// Resolves [address, address + size) on `device`. `call` names the API function in messages.
/// Errors   KernelFault{OutOfBounds} if nothing answers at the coordinate or the range leaves the
///          L1 or the bank.
[[nodiscard]] Endpoint resolve(Device& device, std::uint64_t noc_address, std::uint32_t size,
                               const char* call, CallSite site);

/// Checks that [address, address + size) is in the thread's own L1.
/// Errors   KernelFault{OutOfBounds} if it is not.
void check_local(const KernelThread& thread, std::uint32_t address, std::uint32_t size,
                 const char* call, CallSite site);

/// Returns whether bytes of an L1 belong to the firmware: all below `l1.reserved` except the
/// semaphores.
[[nodiscard]] bool is_of_firmware(const L1Spec& l1, std::uint64_t address, std::uint64_t size);
/// Notes a finding if a transfer or an atomic writes bytes of the firmware, which the chip does.
/// Errors   KernelFault{OutOfBounds} under strict rules.
void check_firmware(KernelThread& thread, std::uint64_t address, std::uint64_t size,
                    const char* call, const CallSite& site);

/// Checks that the thread's processor has a NoC. On the chip, such a call in a compute kernel does
/// not compile.
/// Errors   KernelFault{Unsupported} in a compute kernel.
/// Source   tt-metal pull request 40240: compute cores "don't have NOC access".
void require_noc(const KernelThread& thread, const char* call, CallSite site);

/// Returns whether a write of `size` bytes writes a flag that threads may wait on: one word of an
/// L1, or at most 16 bytes of a semaphore. Traces record the value of a flag.
[[nodiscard]] bool is_flag(const Endpoint& to, std::uint32_t size);

/// Convert between a NoC address and its parts: the coordinate in bits 36–47 and the local address
/// in bits 0–35.
/// Source   tt-metal noc_parameters.h.
[[nodiscard]] constexpr CoreCoord noc_coord(std::uint64_t noc_address) noexcept {
    return {static_cast<std::uint32_t>(noc_address >> 36U) & 63U,
            static_cast<std::uint32_t>(noc_address >> 42U) & 63U};
}
[[nodiscard]] constexpr std::uint64_t noc_local(std::uint64_t noc_address) noexcept {
    return noc_address & ((std::uint64_t{1} << 36U) - 1);
}
[[nodiscard]] constexpr std::uint64_t make_noc_address(CoreCoord noc,
                                                       std::uint64_t local) noexcept {
    return (std::uint64_t{noc.y} << 42U) | (std::uint64_t{noc.x} << 36U) | local;
}

}  // namespace tessera
