// SPDX-License-Identifier: Apache-2.0
// A device of any size for rows of measurements, with the fewest constants that a replay requires.
#pragma once

#include "bench/accuracy/model.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::testing {

/// Returns an n150's cores: one row is harvested, another one dispatches.
inline ArchSpec n150_arch() {
    ArchSpec arch = test_arch();
    arch.workers.noc_columns = {1, 2, 3, 4, 6, 7, 8, 9};
    arch.workers.noc_rows = {1, 2, 3, 4, 7, 8, 9, 10};
    arch.workers.harvested_rows = {5};
    arch.workers.dispatch_rows = {11};
    for (DramEndpoint& endpoint : arch.dram.endpoints) {
        endpoint.physical = endpoint.physical1 = endpoint.noc;
    }
    return arch;
}

/// Everything moves at 1000 B/cycle and nothing else takes time, so a program takes only the times
/// that a test sets.
inline TimingSpec fast_timing(const ArchSpec& arch) {
    TimingSpec timing;
    timing.clock = arch.clock;
    for (BytesPerCycle* rate :
         {&timing.noc.read_rate, &timing.noc.write_rate, &timing.noc.link_rate,
          &timing.noc.injection_rate, &timing.noc.ejection_rate, &timing.noc.multicast_rate,
          &timing.dram.bank_read_rate, &timing.dram.bank_write_rate, &timing.dram.write_port_rate,
          &timing.dram.channel_rate, &timing.dispatch.stream_rate}) {
        *rate = BytesPerCycle{1000};
    }
    timing.noc.outstanding_reads = timing.noc.outstanding_writes = 64;
    timing.noc.queued_writes = 64;
    timing.noc.port_requests = timing.dram.port_requests = 64;
    timing.noc.router_buffer = Bytes{2048};
    timing.noc.channel_buffer = Bytes{512};
    timing.dram.burst = Bytes{64};
    timing.dram.write_buffer = Bytes{4096};
    timing.dispatch.launch_messages = 8;
    timing.dispatch.config_ring = Bytes{1 << 16};
    return timing;
}

/// Returns constants without ranges.
inline score::Model without_ranges(const ArchSpec& arch, const TimingSpec& timing) {
    return {.arch = arch, .timing = {timing, timing, timing}};
}

}  // namespace tessera::testing
