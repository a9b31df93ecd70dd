// SPDX-License-Identifier: Apache-2.0
// What a run does besides computing what its configuration says, and what it leaves out.
#pragma once

#include <functional>

#include "tessera/launch_modes.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::run {

struct RunModes {
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;  ///< Off: no value is checked, whatever verify.level says
    BulkData bulk_data = BulkData::On;
    /// Of TraceMode::On: as SessionOptions::trace_sink.
    std::function<void(const Trace& so_far, LaunchTrace&& launch)> trace_sink;
};

/// As little as a trace of the workload needs. The control flow of moe_v2 reads routing tables,
/// which are integers.
[[nodiscard]] inline RunModes timing_only(Pipeline pipeline) {
    RunModes modes;
    modes.maths = Maths::Off;
    modes.bulk_data = pipeline == Pipeline::MoeV2 ? BulkData::Integers : BulkData::Off;
    return modes;
}

}  // namespace tessera::run
