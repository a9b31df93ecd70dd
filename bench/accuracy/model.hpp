// SPDX-License-Identifier: Apache-2.0
// The machine that predictions are made for: a device model with its constants as stated, their
// ranges, and how often they are drawn within these.
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

/// What boards had when reports measured them, where that is not what the device model has now: a
/// fact of the measurements, not of the device.
struct ReportedSetup {
    /// Of links in tables of collectives.
    std::optional<BytesPerSecond> collective_link_rate;
    /// Of an all-gather along a line, the gathered bytes a link from which devices pass slices on;
    /// fewer are written on all devices at once. 0: always so.
    std::uint64_t gather_relays_from = 0;
    /// Physical node of each bank's port, which either NoC was given; empty: those of the model.
    std::span<const CoreCoord> dram_ports;
    /// Transfers of the memory as shipped, GT/s; 0: not known.
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
