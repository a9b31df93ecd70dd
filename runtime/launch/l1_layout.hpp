// SPDX-License-Identifier: Apache-2.0
// Lays a program's circular buffers out in the L1 of its cores. Needs no device, so that a program
// can be judged before there is one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/dram/bank_allocator.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// The L1 of a device's cores, with the buffers that are allocated there.
struct L1Space {
    const ArchSpec& arch;
    std::uint32_t device = 0;
    const BankAllocator& buffers;
};

/// Address of each circular buffer of a program, in the program's order.
using L1Layout = std::vector<std::uint32_t>;

/// The indices of a circular buffer as messages name it: "16", or "24+25" of one that is shared.
[[nodiscard]] std::string indices_of(const CircularBufferConfig& config);

/// Errors   UsageError naming the kernel, circular buffer or semaphore that is for a core outside
///          the grid, or the semaphore that a core does not have.
void check_on_grid(const Program& program, const L1Space& l1);

/// Places the circular buffers bottom-up from the first free address, each at one address on all
/// its cores: the highest that any of them has reached. Those laid over a tensor's shards are where
/// the tensor is.
/// Errors   UsageError naming the core, the bytes missing, and the size of each circular buffer of
///          the core, if they do not fit below the L1 buffers.
/// Source   tt-metal tt_metal/impl/program/program.cpp, allocate_circular_buffers.
[[nodiscard]] L1Layout lay_out_circular_buffers(const Program& program, const L1Space& l1);

}  // namespace tessera
