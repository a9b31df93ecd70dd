// SPDX-License-Identifier: Apache-2.0
// The machine of a prediction: a device model with its stated constants, their ranges, and the
// number of draws from these ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bench/accuracy/unreplayed_costs.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::score {

/// Properties of the measured boards that differ from today's device model. They describe the
/// measurements, not the device.
struct ReportedSetup {
    /// Link rate in the tables of collectives.
    std::optional<BytesPerSecond> collective_link_rate;
    /// Gathered bytes per link from which devices of a line relay slices. Smaller gathers write to
    /// all devices at once. 0: always relay.
    std::uint64_t gather_relays_from = 0;
    /// Physical node of each bank's port that both NoCs used; empty: the ports of the model.
    std::span<const CoreCoord> dram_ports;
    /// Transfer rate of the memory as shipped, GT/s; 0: unknown.
    double dram_rate = 0;
};

struct Model {
    ArchSpec arch;
    TimingBounds timing;
    timed_run::Draws draws;
    ReportedSetup setup;
    UnreplayedBounds costs{};
};

}  // namespace tessera::score
