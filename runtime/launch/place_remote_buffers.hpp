// SPDX-License-Identifier: Apache-2.0
// Gives kernel threads their views of circular buffers between cores.
#pragma once

#include "tessera/program.hpp"

namespace tessera {

class Device;

/// Reads the words of each end from L1, once the kernels are placed.
/// Errors   UsageError if a core's pointer is not at a whole page of the program.
void place_remote_buffers(const Program& program, Device& device);

}  // namespace tessera
