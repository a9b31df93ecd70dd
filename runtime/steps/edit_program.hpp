// SPDX-License-Identifier: Apache-2.0
// What a pipeline does to the programs that ops give it: other cores, and several
// programs on one device.
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
///          cannot be moved: those whose kernels are told where other cores lie (all that have
///          semaphores), and those with circular buffers on a tensor's shards.
void move_cores(Program& program, CoreCoord first_core, const ArchSpec& arch,
                const std::string& step);

/// Adds `more` to what is launched together.
/// Errors   UsageError naming `step` if two programs use one core of a device.
void add_programs(std::vector<DeviceProgram> more, std::vector<DeviceProgram>& programs,
                  const std::string& step);

}  // namespace tessera::pipeline
