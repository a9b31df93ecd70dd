// SPDX-License-Identifier: Apache-2.0
// The call that the compiler pass in emu/kernel_pass adds to loops of kernels. A loop that polls L1
// yields to other threads, and an endless loop ends the run. The pass and the machine share these
// definitions.
#pragma once

#include <cstdint>

namespace tessera {

/// Iterations between two calls of a loop. A call that yields costs as much as some hundred
/// iterations, so it must be rare. A loop that polls wastes its iterations until the call, so it
/// must not be too rare.
inline constexpr std::uint64_t kLoopRoundsPerCall = 1024;

/// Kind of a loop without a known trip count, as far as the compiler can tell.
enum class LoopKind : std::uint32_t {
    Computes,         ///< ends by values that it computes
    CallsApi,         ///< ends by values that it computes, and calls the API
    PollsL1,          ///< ends when a value in memory changes that it does not write itself
    PollsOrComputes,  ///< ends by values that it computes or by values in memory
    Endless,          ///< has no exit
};

/// Iterations that a loop may run while no other thread advances, by default. A loop that only
/// polls cannot see a new value in that state. Other loops may run more iterations, about a second
/// of host time by default.
inline constexpr std::uint64_t kDefaultProgressLimit = 4'000'000;
inline constexpr std::uint64_t kApiRoundsPerPoll = 10;
inline constexpr std::uint64_t kComputedRoundsPerPoll = 32;

}  // namespace tessera

extern "C" {
/// Reports that a loop at `file`:`line` has run `rounds` iterations since it was entered. A loop
/// that polls yields to the core's other threads. Only compiled kernels call it.
/// Errors   KernelFault{Deadlock} at the loop's line if it is Endless, or if it computes or calls
///          the API and has run more iterations than the run allows.
void tessera_loop_rounds(std::uint64_t rounds, const char* file, std::uint32_t line,
                         tessera::LoopKind kind);
}
