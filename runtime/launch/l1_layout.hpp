// SPDX-License-Identifier: Apache-2.0
// Lays a program's circular buffers out in the L1 of its cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/program.hpp"

namespace tessera {

class Device;

/// Address of each circular buffer of a program, in the program's order.
using L1Layout = std::vector<std::uint32_t>;

/// The indices of a circular buffer as messages name it: "16", or "24+25" of one that is shared.
[[nodiscard]] std::string indices_of(const CircularBufferConfig& config);

/// Places the circular buffers bottom-up from the first free address, each at one address on all
/// its cores: the highest that any of them has reached. Those laid over a tensor's shards are where
/// the tensor is.
/// Errors   UsageError naming the core, the buffer, the bytes missing and what holds the rest, if
///          one does not fit below the L1 buffers.
/// Source   tt-metal tt_metal/impl/program/program.cpp, allocate_circular_buffers.
[[nodiscard]] L1Layout lay_out_circular_buffers(const Program& program, const Device& device);

/// Sets up the circular buffers on the cores, empty, and every thread's pointers into them.
void place_circular_buffers(const Program& program, const L1Layout& layout, Device& device);

}  // namespace tessera
