// SPDX-License-Identifier: Apache-2.0
// The trace of a launch that has just ended.
#pragma once

#include <span>
#include <string>

#include "tessera/session.hpp"
#include "tessera/trace.hpp"

namespace tessera {

class Mesh;
class TraceNames;

/// Takes what the kernel threads of the devices recorded, in the order (device, y, x, processor),
/// and puts indices into `names` where they recorded names: the same bytes for the same launches,
/// whatever threads of the host ran them.
/// Preconditions  the launch ran with TraceMode::On and no other has been placed since.
[[nodiscard]] LaunchTrace collect_trace(const std::string& name, Mesh& mesh,
                                        std::span<const DeviceProgram> programs, TraceNames& names);

}  // namespace tessera
