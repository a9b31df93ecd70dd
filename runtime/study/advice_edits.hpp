// SPDX-License-Identifier: Apache-2.0
// Edits of a recorded launch, each as a schedule's author could make it in a kernel. The advisor
// replays what they leave.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::advise {

/// What an edit may look at beside the launch.
struct LaunchContext {
    const report::LaunchReport& expected;  ///< report of the launch as it was recorded
    const timed_run::TimedMachine& machine;
    const std::vector<std::string>& names;  ///< Trace::names
};

// Each returns whether it changed anything.

/// Sends each transfer with DRAM to the next bank, cores starting at different ones.
bool deal_out_banks(LaunchTrace& launch, const LaunchContext& context);
/// Makes all CBs of a core so many times as deep; leaves them as they are where L1 has no space for
/// that, since no designer could do it.
bool scale_cbs(CoreTrace& core, const L1Spec& l1, std::uint32_t factor);
/// Doubles the CBs of cores whose L1 has the space.
bool deepen_cbs(LaunchTrace& launch, const LaunchContext& context);
/// Joins two equal transfers in a row to one packet of twice the size.
bool join_packets(LaunchTrace& launch, const LaunchContext& context);
/// Joins two equal products in a row to one of twice the columns, as far as DST holds them: a tile
/// of in0 is unpacked once for both.
bool widen_blocks(LaunchTrace& launch, const LaunchContext& context);
/// Gives the core that ended last the work of the median core that runs the same kernels.
bool relieve_straggler(LaunchTrace& launch, const LaunchContext& context);

/// Moves all reads, or all writes, to the other NoC.
bool turn_reads(LaunchTrace& launch, const LaunchContext& context);
bool turn_writes(LaunchTrace& launch, const LaunchContext& context);

/// Moves the last `share` of the reads before each barrier to the other NoC, at the line that waits
/// longest for reads, with a barrier of that NoC behind the first. Reads with a latched command or
/// a transaction id stay. Changes nothing where the NoC is less than a tenth of the critical path.
bool move_share(LaunchTrace& launch, const LaunchContext& context, double share);

/// Joins so many blocks of reads, each with a barrier and pushes behind it: space for all of them
/// is reserved, one barrier waits for all, then all are pushed. CBs become as many times as deep;
/// cores whose L1 has no space for that stay as they are.
bool join_barriers(LaunchTrace& launch, const LaunchContext& context, std::uint32_t blocks);

/// Leaves the reads of the line that waits longest to one core of each rectangle of cores that read
/// the same banks in the same order; that core multicasts them. The others do not wait for it, so
/// the replay shows an upper bound of the gain.
bool multicast_reads(LaunchTrace& launch, const LaunchContext& context);

}  // namespace tessera::advise
