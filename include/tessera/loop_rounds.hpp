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

enum class LoopKind : std::uint32_t {
    Unbounded,  ///< nothing says that it ends, and it cannot be waiting for a value in L1
    PollsL1,    ///< its end depends on what it loads, which only others can change while it runs
};

/// Rounds that a loop may make without the run coming forward, unless a run says otherwise: on the
/// chip this would be a kernel of tens of milliseconds in one loop without a trip count.
inline constexpr std::uint64_t kDefaultProgressLimit = 4'000'000;

}  // namespace tessera

extern "C" {
/// Called by kernels alone: `rounds` that a loop has gone since it was entered, and where it
/// stands. Events   none. Errors   KernelFault{Deadlock} at the loop's line if it is Unbounded and
/// has gone round more
///          often than the run allows. A loop that polls gives way to the core's other threads.
void tessera_loop_rounds(std::uint64_t rounds, const char* file, std::uint32_t line,
                         tessera::LoopKind kind);
}
