// SPDX-License-Identifier: Apache-2.0
// Edits of a recorded launch that a schedule's author can make in a kernel. The advisor replays the
// edited launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::advise {

/// Input of an edit besides the launch, which may be one device's part of a recorded launch.
struct LaunchContext {
    const report::LaunchReport& expected;  ///< report of the unedited launch, with all its devices
    const timed_run::TimedMachine& machine;
    const std::vector<std::string>& names;  ///< Trace::names
    std::size_t first_core = 0;             ///< place of the part's first core in the launch
};

// Each edit returns whether it changed anything.

/// Returns the sends each DRAM transfer of a core to the next bank; cores start at different banks.
bool distribute_banks(LaunchTrace& launch, const LaunchContext& context);
/// Multiplies the depth of all CBs of a core by a factor; changes nothing if L1 has no space for
/// that, since no schedule could do it.
bool scale_cbs(CoreTrace& core, const L1Spec& l1, std::uint32_t factor);
/// Doubles the CBs of cores whose L1 has the space.
bool deepen_cbs(LaunchTrace& launch, const LaunchContext& context);
/// Joins two consecutive equal transfers to one packet of twice the size.
bool join_packets(LaunchTrace& launch, const LaunchContext& context);
/// Joins two consecutive equal products to one of twice the columns, if DST has space: a tile of
/// in0 is then unpacked once for both.
bool widen_blocks(LaunchTrace& launch, const LaunchContext& context);
/// Gives the slowest core the work of the median core with the same kernels.
bool relieve_straggler(LaunchTrace& launch, const LaunchContext& context);

/// Moves all reads, or all writes, to the other NoC.
bool move_reads(LaunchTrace& launch, const LaunchContext& context);
bool move_writes(LaunchTrace& launch, const LaunchContext& context);

/// Moves the last `share` of the reads before each barrier to the other NoC, at the line that waits
/// longest for reads. Adds a barrier of that NoC after the first. Reads with a latched command or a
/// transaction id stay. Changes nothing if the NoC is less than a tenth of the critical path.
bool move_share(LaunchTrace& launch, const LaunchContext& context, double share);

/// Joins several blocks of reads, each with its barrier and pushes: space for all of them is
/// reserved, one barrier waits for all, then all are pushed. The depth of CBs is multiplied by the
/// same factor; cores without space for that in L1 are not changed.
bool join_barriers(LaunchTrace& launch, const LaunchContext& context, std::uint32_t blocks);

/// Keeps the reads of the line that waits longest on one core of each rectangle of cores with equal
/// reads: the same banks in the same order. That core multicasts the data. The other cores do not
/// wait for it, so the replay shows an upper bound of the gain.
bool multicast_reads(LaunchTrace& launch, const LaunchContext& context);

}  // namespace tessera::advise
