// SPDX-License-Identifier: Apache-2.0
// Collects the trace of a launch that has just ended.
#pragma once

#include <span>
#include <string>

#include "runtime/launch/alike_programs.hpp"
#include "tessera/trace.hpp"

namespace tessera {

class Mesh;
class TraceNames;

/// Returns the events that kernel threads recorded, in the order (device, y, x, processor), with
/// indices into `names` for names. Equal launches give equal bytes, with any number of host
/// threads.
/// Preconditions  the launch ran with TraceMode::On, and no other launch was placed after it.
[[nodiscard]] LaunchTrace collect_trace(const std::string& name, Mesh& mesh,
                                        std::span<const LaunchedProgram> programs,
                                        TraceNames& names);

}  // namespace tessera
