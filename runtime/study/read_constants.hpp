// SPDX-License-Identifier: Apache-2.0
// Decides which timing constants a replay reads, from the events of its trace.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timed_run {

/// Part of a launch's events that decides which constants its replay reads.
struct LaunchContents {
    bool has_transfers = false;
    bool uses_dram = false;
    bool uses_fabric = false;
    std::uint32_t compute = 0;  ///< bits of activities of compute kernels
    std::uint64_t calls = 0;    ///< bits of kinds of all events, and of what their details say
    std::set<std::string, std::less<>> functions;  ///< rows of the vector unit's calls
    bool has_other_function = false;               ///< without a row
};

/// Decides for each constant whether a replay of the launch reads it. If the events do not show it,
/// the constant counts as read.
class ReadConstants {
public:
    ReadConstants(const SfpuTiming& functions, const Trace& trace,
                  std::span<const CoreTrace> cores);

    /// `key` is below `timing`: "noc.hop".
    [[nodiscard]] bool reads(std::string_view key) const;

private:
    LaunchContents contents_;
};

/// Keys of constants, below `timing`.
using ConstantKeys = std::set<std::string, std::less<>>;

/// Returns the constants that the replay of a run with this launch reads: those of the launch, which
/// `read` knows, and those of the time before it.
[[nodiscard]] ConstantKeys constants_read(const TimingBounds& timing, const ReadConstants& read,
                                          const LaunchTrace& launch);

}  // namespace tessera::timed_run
