// SPDX-License-Identifier: Apache-2.0
// Figures over cores: minimum, median and maximum, and each core's share of the busiest core's
// work.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::report {

struct Spread {
    double min = 0;
    double median = 0;  ///< for an even number of values, the mean of the middle two
    double max = 0;
};

/// Returns the spread of the values; all 0 without values.
[[nodiscard]] Spread spread_of(std::vector<double> values);

/// Returns a core's work: the number of tiles that its compute kernel packed.
[[nodiscard]] double work_of(const CoreActivity& core) noexcept;

/// Returns work divided by the work of the busiest core, in the order of `cores`; all 0 if no core
/// computed.
[[nodiscard]] std::vector<double> shares_of_busiest(std::span<const CoreActivity> cores);

/// Sums launches into one row per core of the mesh, idle cores included, by (device, y, x).
[[nodiscard]] std::vector<CoreActivity> sum_by_core(std::span<const CoreActivity> activities,
                                                    std::uint32_t num_devices, GridSize grid);

}  // namespace tessera::report
