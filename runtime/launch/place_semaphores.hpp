// SPDX-License-Identifier: Apache-2.0
// Initialises the semaphores of a program, at every launch.
#pragma once

#include "tessera/program.hpp"

namespace tessera {

class Device;

/// Writes the initial values of the program's semaphores on their cores.
void place_semaphores(const Program& program, Device& device);

}  // namespace tessera
