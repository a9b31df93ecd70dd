// SPDX-License-Identifier: Apache-2.0
// Third stage of configuration, for arch files: rules across fields.
#pragma once

#include "runtime/config/rule.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Checks that each worker row and column has its own NoC coordinate, which is neither harvested
/// nor reserved for dispatch.
void worker_grid_has_noc_coordinates(const ArchSpec& arch, Judge& judge);
/// Checks that the coordinates of workers, harvested rows and DRAM ports are on the NoC's grid.
void coordinates_are_on_noc_grid(const ArchSpec& arch, Judge& judge);
/// Checks that no virtual worker coordinate is a DRAM coordinate, so that an address is
/// unambiguous.
void virtual_coordinates_are_distinct(const ArchSpec& arch, Judge& judge);
/// Checks that arguments, semaphores and zeros do not overlap and end below the first address of
/// buffers.
void l1_areas_end_below_reserved(const ArchSpec& arch, Judge& judge);
/// Checks that L1 ends below the kernels' globals in a core's window of host memory.
void l1_ends_below_kernel_memory(const ArchSpec& arch, Judge& judge);
/// Checks that virtual coordinates of workers fit in the 6 bits that a NoC address has for each.
void virtual_coordinates_fit_noc_addresses(const ArchSpec& arch, Judge& judge);
/// Checks that alignments, flit and packet are powers of two.
void alignments_are_powers_of_two(const ArchSpec& arch, Judge& judge);
/// Checks that the buffer of a virtual channel holds at least a flit; otherwise no packet moves.
void channel_buffer_holds_a_flit(const ArchSpec& arch, const TimingBounds& timing, Judge& judge);
/// Checks the space of a router input, with any values in their ranges. It must hold a flit of each
/// virtual channel and the largest share of one channel.
void router_buffer_holds_a_channel(const ArchSpec& arch, const TimingBounds& timing, Judge& judge);
/// Checks that each DRAM bank has one endpoint, and that its reserved part fits.
void dram_banks_have_endpoints(const ArchSpec& arch, Judge& judge);
/// Checks that the emulator supports the architecture.
void architecture_is_known(const ArchSpec& arch, Judge& judge);

/// Checks all rules above.
void validate(const ArchSpec& arch, const TimingBounds& timing, Judge& judge);

}  // namespace tessera::config
