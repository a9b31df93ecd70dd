// SPDX-License-Identifier: Apache-2.0
// Runs one launch: places programs on devices, runs their kernel threads to the end and returns the
// activity of each core and what the chip would have tolerated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/launch/alike_programs.hpp"
#include "runtime/launch/place_kernels.hpp"
#include "tessera/errors.hpp"
#include "tessera/session.hpp"

namespace tessera {

class Mesh;
class WorkerPool;

/// Runs the programs together. No kernel runs before all programs are placed. The result has no
/// host time. A program whose kernels run on another device
/// (LaunchedProgram::ran_on) leaves the memory of its own device unchanged.
/// Errors   UsageError for a program that does not fit or names unknown parts; KernelError for a
///          kernel's mistake. After a failed launch the devices' memories keep their contents.
[[nodiscard]] LaunchResult launch(Mesh& mesh, std::span<const LaunchedProgram> programs,
                                  const LaunchModes& modes, WorkerPool& pool);

/// Returns the error of a launch whose trace cannot be replayed: the first finding after
/// which pages or halves of DST do not add up. Nothing without such a finding.
/// Precondition   the launch was the mesh's last one.
[[nodiscard]] std::optional<KernelError> cause_of_stall(Mesh& mesh,
                                                        std::span<const LaunchedProgram> programs);

}  // namespace tessera
