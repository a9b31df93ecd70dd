// SPDX-License-Identifier: Apache-2.0
// Sets up the circular buffers of a program on its cores, at every launch.
#pragma once

#include "runtime/launch/l1_layout.hpp"

namespace tessera {

class Device;

/// Sets up empty circular buffers on the cores, and every thread's pointers into them.
void place_circular_buffers(const Program& program, const L1Layout& layout, Device& device);

}  // namespace tessera
