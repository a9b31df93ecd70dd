// SPDX-License-Identifier: Apache-2.0
// Writes the initial values of a program's semaphores, at every launch.
#pragma once

#include "tessera/program.hpp"

namespace tessera {

class Device;

void place_semaphores(const Program& program, Device& device);

}  // namespace tessera
