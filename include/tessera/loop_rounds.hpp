// SPDX-License-Identifier: Apache-2.0
// What the compiler pass in emu/kernel_pass has loops of kernels call, so that one that polls L1
// gives way and one that never ends ends the run: shared by the pass and the machine.
#pragma once

#include <cstdint>

namespace tessera {

/// A loop calls each time that it has gone round this often since it was entered: rarely enough to
/// cost nothing, since a call that gives way takes as long as some hundred rounds, and often enough
/// for a loop that polls, which wastes its rounds until then.
inline constexpr std::uint64_t kLoopRoundsPerCall = 1024;

/// What a loop does that may go round for ever, as far as the compiler sees.
enum class LoopKind : std::uint32_t {
    Computes,         ///< until its own values end it
    CallsApi,         ///< until its own values end it, and calls the machine meanwhile
    PollsL1,          ///< until a value in memory changes, which it does not change itself
    PollsOrComputes,  ///< until its own values end it or those in memory
    Endless,          ///< it has no exit
};

/// Rounds that a loop may make without the run coming forward, unless a run says otherwise: of one
/// that only polls, no later round can be different while nothing else goes on. Other loops may
/// make more, about a second of the host's time by default: on the chip a kernel would be in one
/// loop without a known trip count for as long.
inline constexpr std::uint64_t kDefaultProgressLimit = 4'000'000;
inline constexpr std::uint64_t kApiRoundsPerPoll = 10;
inline constexpr std::uint64_t kComputedRoundsPerPoll = 256;

}  // namespace tessera

extern "C" {
/// Called by kernels alone: `rounds` that a loop has gone since it was entered, and where it
/// is. A loop that polls gives way to the core's other threads.
/// Errors   KernelFault{Deadlock} at the loop's line if it is Endless, or if it computes or calls
///          the machine and has gone round more often than the run allows.
void tessera_loop_rounds(std::uint64_t rounds, const char* file, std::uint32_t line,
                         tessera::LoopKind kind);
}
