// SPDX-License-Identifier: Apache-2.0
// One launch: places programs on devices, runs their kernel threads to the end and says what each
// core did.
#pragma once

#include <span>
#include <vector>

#include "runtime/launch/place_kernels.hpp"
#include "tessera/session.hpp"

namespace tessera {

class Mesh;
class WorkerPool;

/// Runs the programs together; nothing runs before all are placed.
/// Errors   UsageError for what does not fit or exist; KernelError for what a kernel did wrong.
///          A launch that fails leaves the devices' memories as they are.
[[nodiscard]] std::vector<CoreActivity> launch(Mesh& mesh, std::span<const DeviceProgram> programs,
                                               const LaunchModes& modes, WorkerPool& pool);

}  // namespace tessera
