// SPDX-License-Identifier: Apache-2.0
// Classification of critical-path time by the mechanism of the model that bounds it. The error of a
// prediction depends on the mechanism more than on any constant: the stream of one core is
// predicted well, many cores that share the network are not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tessera/timeline.hpp"

namespace tessera {
struct ModelErrorSpec;
}

namespace tessera::timing {

enum class Regime : std::uint8_t {
    Compute,     ///< unpack, math and pack
    Issue,       ///< instructions of data-movement RISCs
    FewCores,    ///< NoC and DRAM of a launch of at most kFewCores cores
    ManyReads,   ///< reads over a NoC that more than kFewCores cores share
    ManyWrites,  ///< writes, words and atomics over such a NoC
    Multicast,   ///< transit of multicasts
    DramFanOut,  ///< banks and channels that more than kFewCores cores share
    Links,       ///< links between devices
    Launch,      ///< dispatch, firmware, and time outside of launches
};
inline constexpr std::size_t kNumRegimes = static_cast<std::size_t>(Regime::Launch) + 1;

/// Most cores of FewCores. In calibration the error of 2 × 2 cores is no larger than that of one
/// core; the error of 5 × 5 is several times that.
inline constexpr std::size_t kFewCores = 4;

/// Returns the name that scores and reports print, such as "many reads".
[[nodiscard]] std::string_view name_of(Regime regime) noexcept;

/// Time by regime.
using RegimeTimes = std::array<Millicycles, kNumRegimes>;

/// Returns the time of the launch's critical path by regime. The times add up to the makespan.
/// Precondition   its critical path was kept.
[[nodiscard]] RegimeTimes regime_times(const LaunchTimeline& timeline);

/// Returns the error of the model in a regime, from TimingSpec::model_error.
[[nodiscard]] double error_of(const ModelErrorSpec& error, Regime regime) noexcept;

}  // namespace tessera::timing
