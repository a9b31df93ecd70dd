// SPDX-License-Identifier: Apache-2.0
// What a run does besides computing what its configuration says, and what it leaves out.
#pragma once

#include <functional>

#include "tessera/launch_modes.hpp"
#include "tessera/trace.hpp"

namespace tessera::run {

struct RunModes {
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;  ///< Off: no value is checked, whatever verify.level says
    BulkData bulk_data = BulkData::On;
    /// Of TraceMode::On: as SessionOptions::trace_sink.
    std::function<void(const Trace& so_far, LaunchTrace&& launch)> trace_sink;
};

}  // namespace tessera::run
