// SPDX-License-Identifier: Apache-2.0
// Replays the recorded trace of a GroupRun with the Wormhole model's constants.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "emu/timing/run.hpp"
#include "runtime/config/load.hpp"
#include "tests/ops/collectives/group_run.hpp"

namespace tessera::testing {

/// Returns the expected constants of the Wormhole model.
inline const TimingSpec& wormhole_timing() {
    static const TimingSpec kTiming =
        config::load_arch(TESSERA_SOURCE_DIR "/configs/arch/wormhole_n150.yaml").timing.expected;
    return kTiming;
}

/// Returns the predicted times of the run's launch.
/// Precondition   the run has TraceMode::On.
inline LaunchTimeline timeline(const GroupRun& run) {
    const Session& session = run.session();
    return timing::replay_run(session.trace(), {wormhole(), wormhole_timing(), session.mesh()})
        .launches.at(0);
}

/// Payload bytes on the links of a launch by device and direction, summed over parallel links.
using LinkBytes = std::map<std::pair<std::uint32_t, LinkDirection>, std::uint64_t>;

inline LinkBytes link_bytes(const LaunchTimeline& timeline) {
    LinkBytes bytes;
    for (const ResourceUse& use : timeline.resources) {
        if (use.kind == ResourceKind::MeshLink && use.bytes != 0) {
            bytes[{use.device, static_cast<LinkDirection>(use.direction)}] += use.bytes;
        }
    }
    return bytes;
}

}  // namespace tessera::testing
