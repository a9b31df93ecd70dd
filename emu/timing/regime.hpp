// SPDX-License-Identifier: Apache-2.0
// By which mechanism of the model a launch's time is decided. What a prediction may be off by
// depends on that more than on any constant: one core's stream is known well, many cores that
// share the network are not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {

enum class Regime : std::uint8_t {
    Compute,     ///< unpack, math and pack
    Issue,       ///< instructions of data-movement RISCs
    FewCores,    ///< NoC and DRAM of a launch of at most kFewCores cores
    ManyReads,   ///< reads over a NoC that more cores share
    ManyWrites,  ///< writes, words and atomics of the same
    Multicast,   ///< what multicasts take to travel
    DramFanOut,  ///< banks and channels that more cores share
    Links,       ///< between devices
    Launch,      ///< dispatch and firmware, and what no launch accounts for
};
inline constexpr std::size_t kNumRegimes = static_cast<std::size_t>(Regime::Launch) + 1;

/// Four cores of calibration, 2 × 2, are off by no more than one; 5 × 5 are by several times that.
inline constexpr std::size_t kFewCores = 4;

/// "many reads", …: as scores and reports print it.
[[nodiscard]] std::string_view name_of(Regime regime) noexcept;

/// Time by regime.
using RegimeTimes = std::array<Millicycles, kNumRegimes>;

/// The launch's critical path by regime; the times add up to the makespan.
/// Precondition   its critical path was kept.
[[nodiscard]] RegimeTimes regime_times(const LaunchTimeline& timeline);

/// The error of the model in a regime, as TimingSpec::model_error states it.
[[nodiscard]] double error_of(const ModelErrorSpec& error, Regime regime) noexcept;

}  // namespace tessera::timing
