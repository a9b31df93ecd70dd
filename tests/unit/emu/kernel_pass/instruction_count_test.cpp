// SPDX-License-Identifier: Apache-2.0
// What kernels count of their own instructions, against what their source says.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/instruction_counters.hpp"
#include "tests/unit/emu/kernel_pass/core_window.hpp"

extern "C" const tessera::CompiledKernel probe_kernel_instructions;

// Of the machine, which is not part of this program.
thread_local tessera::InstructionCounters* tessera_instruction_counters = nullptr;

namespace tessera {
namespace {

// Cases of kernels/instructions.cpp.
enum Case : std::uint64_t { kAddUp, kFill, kDivide, kPoll, kAsk };

constexpr std::uint32_t kWords = 0x1000;

InstructionCount count_of(CoreWindow& core, Case which, std::uint64_t count) {
    const InstructionCounters before = core.instructions();
    (void)core.launch(probe_kernel_instructions, Processor::Riscv0, {which, kWords, count});
    return difference(core.instructions(), before);
}

TEST(InstructionCount, ALoopLoadsOncePerRoundThatItsSourceLoads) {
    CoreWindow core;

    EXPECT_EQ(count_of(core, kAddUp, 0).loads, 0U);
    EXPECT_EQ(count_of(core, kAddUp, 1).loads, 1U);
    EXPECT_EQ(count_of(core, kAddUp, 1000).loads, 1000U);
    EXPECT_EQ(count_of(core, kAddUp, 1000).stores, 0U);
}

TEST(InstructionCount, StoresAndDivisionsAreCountedApart) {
    CoreWindow core;
    core.word(kWords) = 3;

    EXPECT_EQ(count_of(core, kFill, 37).stores, 37U);
    EXPECT_EQ(count_of(core, kFill, 37).loads, 0U);
    core.word(kWords) = 3;
    EXPECT_EQ(count_of(core, kDivide, 37).divisions, 37U);
}

// An addition, an address and a branch each round at least; the compiler for the host may unroll
// and vectorise the loop, the core cannot.
TEST(InstructionCount, PlainInstructionsGrowByTheSameForEachRound) {
    CoreWindow core;

    const std::uint32_t ten = count_of(core, kAddUp, 10).plain;
    const std::uint32_t twenty = count_of(core, kAddUp, 20).plain;
    const std::uint32_t thousand = count_of(core, kAddUp, 1010).plain;

    EXPECT_GE(twenty - ten, 30U);
    EXPECT_LE(twenty - ten, 80U);
    EXPECT_EQ(thousand - ten, 100 * (twenty - ten));
}

/// Sets the word that a kernel waits for, after a while.
std::jthread set_after(CoreWindow& core, std::chrono::milliseconds time) {
    return std::jthread([&core, time] {
        std::this_thread::sleep_for(time);
        std::atomic_ref(core.word(kWords)).store(1);
    });
}

// How long it waits is the host's matter, and must not show in a trace.
TEST(InstructionCount, AWaitingLoopCountsTheSameHoweverOftenItGoesRound) {
    for (const Case which : {kPoll, kAsk}) {
        CoreWindow core;
        core.word(kWords) = 1;
        const InstructionCount at_once = count_of(core, which, 0);
        core.word(kWords) = 0;
        const std::jthread setter = set_after(core, std::chrono::milliseconds(20));

        EXPECT_EQ(count_of(core, which, 0), at_once);
    }
}

}  // namespace
}  // namespace tessera
