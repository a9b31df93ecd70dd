// SPDX-License-Identifier: Apache-2.0
// Third stage of configuration, for arch files: rules across fields.
#pragma once

#include "runtime/config/rule.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Each worker row and column has a place on the NoC, once, which is neither harvested nor kept
/// for dispatch.
void worker_grid_has_noc_coordinates(const ArchSpec& arch, Judge& judge);
/// Workers, DRAM ports and rows named lie on the NoC's grid.
void coordinates_lie_on_noc_grid(const ArchSpec& arch, Judge& judge);
/// No virtual worker coordinate is a DRAM coordinate: an address must say which is meant.
void virtual_coordinates_are_distinct(const ArchSpec& arch, Judge& judge);
/// Argument area, semaphores and zeros lie apart and below the first address of buffers.
void l1_areas_lie_below_reserved(const ArchSpec& arch, Judge& judge);
/// L1 ends where the window that a core has of the host's memory goes on with kernels' globals.
void l1_lies_below_kernel_memory(const ArchSpec& arch, Judge& judge);
/// Virtual coordinates of workers fit in the 6 bits that a NoC address has for each.
void virtual_coordinates_fit_noc_addresses(const ArchSpec& arch, Judge& judge);
/// Alignments, flit and packet are powers of two; first addresses are aligned.
void alignments_are_powers_of_two(const ArchSpec& arch, Judge& judge);
/// A router's buffer holds a flit of each virtual channel, or no packet would ever move.
void channel_buffer_holds_a_flit(const ArchSpec& arch, const TimingBounds& timing, Judge& judge);
/// A router input has a flit for each virtual channel and what one of them may fill beside, at the
/// lower end of its range and the upper one of theirs, too.
void router_buffer_holds_a_channel(const ArchSpec& arch, const TimingBounds& timing, Judge& judge);
/// Each DRAM bank has one endpoint, and its reserved part fits.
void dram_banks_have_endpoints(const ArchSpec& arch, Judge& judge);
/// The architecture is one that the machine knows.
void architecture_is_known(const ArchSpec& arch, Judge& judge);

/// All rules above.
void validate(const ArchSpec& arch, const TimingBounds& timing, Judge& judge);

}  // namespace tessera::config
