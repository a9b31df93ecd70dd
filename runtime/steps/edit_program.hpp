// SPDX-License-Identifier: Apache-2.0
// Edits of the programs that ops build: moves their cores, and merges several programs of a device.
#pragma once

#include <string>
#include <vector>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/session.hpp"

namespace tessera::pipeline {

/// Moves all cores of a program by `first_core`.
/// Errors   UsageError naming `step` if a core leaves the device's grid, and for programs that
///          cannot be moved: programs whose kernels have coordinates of other cores as arguments
///          (all that have semaphores), and programs with circular buffers on a tensor's shards.
void move_cores(Program& program, CoreCoord first_core, const ArchSpec& arch,
                const std::string& step);

/// Adds `more` to the programs of one launch; merges programs of the same device.
/// Errors   UsageError naming `step` if two programs use one core of a device.
void add_programs(std::vector<DeviceProgram> more, std::vector<DeviceProgram>& programs,
                  const std::string& step);

}  // namespace tessera::pipeline
