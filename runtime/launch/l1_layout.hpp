// SPDX-License-Identifier: Apache-2.0
// Places a program's circular buffers in the L1 of its cores. Needs no device, so that a program
// can be checked before a device exists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/dram/bank_allocator.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// L1 of a device's cores, with the buffers that are allocated in it.
struct L1Space {
    const ArchSpec& arch;
    std::uint32_t device = 0;
    const BankAllocator& buffers;
};

/// Addresses of a program's circular buffers, in the program's order.
using L1Layout = std::vector<std::uint32_t>;

/// Returns the indices of a circular buffer for messages: "16", or "24+25" for a shared one.
[[nodiscard]] std::string indices_of(const CircularBufferConfig& config);

/// Checks that the program uses cores of the grid and existing semaphores only.
/// Errors   UsageError naming the kernel, circular buffer or semaphore on a core outside the grid,
///          or the semaphore that a core does not have.
void check_on_grid(const Program& program, const L1Space& l1);

/// Places the circular buffers upwards from the first free address. A circular buffer has the same
/// address on all its cores: the highest that is free on any of them. A CB on a tensor's shards has
/// the tensor's address.
/// Errors   UsageError naming the core, the bytes missing, and the size of each circular buffer of
///          the core, if they do not fit below the L1 buffers.
/// Source   tt-metal tt_metal/impl/program/program.cpp, allocate_circular_buffers.
[[nodiscard]] L1Layout lay_out_circular_buffers(const Program& program, const L1Space& l1);

}  // namespace tessera
