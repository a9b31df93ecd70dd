// SPDX-License-Identifier: Apache-2.0
// Layout of a core's window of host address space.
//
// Each core owns 4 GiB of address space, aligned to 4 GiB and backed on touch. The low 32 bits of a
// host pointer into the window are the address that the kernel sees, so L1 keeps the chip's own
// addresses. A compiled kernel finds the window, and its own processor, from the address of its
// stack. The machine, which maps the window, and the compiler pass in emu/kernel_pass, which
// compiles the constants into kernels, share this layout.
//
//   0x0000'0000  L1
//   0xE000'0000  globals of the kernel on processor 0, 1, 2: one slot of 16 MiB each
//   0xF000'0000  stack of the kernel on processor 0, 1, 2: one slot of 16 MiB each. The stack is at
//                the slot's upper end and grows down; unmapped pages below it are the guard
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/processor.hpp"

namespace tessera {

inline constexpr std::uint64_t kWindowSize = std::uint64_t{1} << 32U;  ///< bytes; also alignment
inline constexpr std::uint64_t kWindowBaseMask = ~(kWindowSize - 1);

inline constexpr std::uint64_t kL1Offset = 0;
inline constexpr std::uint64_t kKernelGlobalsOffset = 0xE000'0000;
inline constexpr std::uint64_t kKernelStacksOffset = 0xF000'0000;
inline constexpr std::uint64_t kProcessorSlotSize = 0x0100'0000;  ///< bytes; also alignment

/// Headers of fabric packets, in the last bytes of L1 below `l1.semaphores`: a pool of its own for
/// each data movement processor.
/// Source   tt-metal blackhole/dev_mem_map.h, MEM_PACKET_HEADER_POOL_SIZE before MEM_MAP_END.
inline constexpr std::uint32_t kPacketHeaderSize = 64;       ///< bytes of a 1D header for 32 hops
inline constexpr std::uint32_t kPacketHeaderSlotSize = 144;  ///< bytes
inline constexpr std::uint32_t kPacketHeadersPerProcessor = 12;
inline constexpr std::uint32_t kPacketHeaderPoolSize =
    2 * kPacketHeadersPerProcessor * kPacketHeaderSlotSize;

/// Returns the offset in the window of the globals of the kernel on `processor`. The launcher
/// copies the kernel's initial image there before each launch.
[[nodiscard]] constexpr std::uint64_t kernel_globals_offset(Processor processor) noexcept {
    return kKernelGlobalsOffset + static_cast<std::uint64_t>(processor) * kProcessorSlotSize;
}

/// Returns the offset in the window of the first byte above the stack of `processor`.
[[nodiscard]] constexpr std::uint64_t kernel_stack_top_offset(Processor processor) noexcept {
    return kKernelStacksOffset + (static_cast<std::uint64_t>(processor) + 1) * kProcessorSlotSize;
}

/// Returns the host address of the window that contains `address`.
[[nodiscard]] constexpr std::uint64_t window_base_of(std::uint64_t address) noexcept {
    return address & kWindowBaseMask;
}

/// Returns the host address of a kernel's globals from any address on its stack: one mask and one
/// subtraction.
[[nodiscard]] constexpr std::uint64_t kernel_globals_of_stack(
    std::uint64_t stack_address) noexcept {
    return (stack_address & ~(kProcessorSlotSize - 1)) -
           (kKernelStacksOffset - kKernelGlobalsOffset);
}

static_assert(kernel_globals_of_stack(kernel_stack_top_offset(Processor::Riscv1) - 1) ==
              kernel_globals_offset(Processor::Riscv1));

}  // namespace tessera
