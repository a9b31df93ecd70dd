// SPDX-License-Identifier: Apache-2.0
// Instruction counts of kernels, against their source.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/instruction_counters.hpp"
#include "tests/unit/emu/kernel_pass/core_window.hpp"

extern "C" const tessera::CompiledKernel probe_kernel_instructions;

// Defined by the machine, which this program does not contain.
thread_local tessera::InstructionCounters* tessera_instruction_counters = nullptr;

namespace tessera {
namespace {

// Cases of kernels/instructions.cpp.
enum Case : std::uint64_t {
    kAddUp,
    kFill,
    kDivide,
    kPoll,
    kAsk,
    kFollow,
    kLoadEight,
    kStoreFour,
    kMultiplyInARow,
    kMultiplyApart,
    kClear2K,
    kClear4K
};

constexpr std::uint32_t kWords = 0x1000;

InstructionCount count_of(CoreWindow& core, Case which, std::uint64_t count) {
    const InstructionCounters before = core.instructions();
    (void)core.launch(probe_kernel_instructions, Processor::Riscv0, {which, kWords, count});
    return difference(core.instructions(), before);
}

/// Returns the counts of `more` rounds beyond the rounds that fill queues.
InstructionCount rounds_of(CoreWindow& core, Case which, std::uint32_t more) {
    constexpr std::uint32_t kFirst = 64;
    const InstructionCount first = count_of(core, which, kFirst);
    const InstructionCount all = count_of(core, which, kFirst + more);
    return {all.slots - first.slots, all.load_waits - first.load_waits,
            all.store_waits - first.store_waits, all.products - first.products,
            all.dividend_bits - first.dividend_bits};
}

// tt-isa-documentation, BabyRISCV/README.md: 8 cycles from an L1 load to the use of its value. Each
// round's load depends on the previous one; an addition, a comparison and the load fill three
// cycles.
TEST(InstructionCount, ALoadThatTheNextOneNeedsTakesEightCycles) {
    CoreWindow core;
    core.word(kWords) = kWords;

    const InstructionCount rounds = rounds_of(core, kFollow, 100);

    EXPECT_EQ(rounds.slots + rounds.load_waits, 800U);
    EXPECT_EQ(rounds.slots, 300U);
    EXPECT_EQ(rounds.store_waits, 0U);
}

// The same page: four loads every N - 1 cycles, where the latency is N.
TEST(InstructionCount, LoadsThatNothingWaitsForTakeSevenCyclesForFour) {
    CoreWindow core;

    const InstructionCount rounds = rounds_of(core, kLoadEight, 100);

    EXPECT_EQ(rounds.slots + rounds.load_waits, 1400U);
}

// The same page: one store every five cycles; a round has three instructions.
TEST(InstructionCount, StoresInARowTakeFiveCyclesEach) {
    CoreWindow core;

    const InstructionCount rounds = rounds_of(core, kFill, 100);

    EXPECT_EQ(rounds.slots + rounds.store_waits, 500U);
    EXPECT_EQ(rounds.load_waits, 0U);
}

// A fill is a store for each word.
TEST(InstructionCount, AFillTakesFiveCyclesAWord) {
    CoreWindow core;

    const InstructionCount half = count_of(core, kClear2K, 0);
    const InstructionCount whole = count_of(core, kClear4K, 0);

    EXPECT_EQ(whole.slots - half.slots, 512U);
    EXPECT_EQ(whole.store_waits - half.store_waits, 4 * 512U);
}

// MemoryOrdering.md: the queue has four entries.
TEST(InstructionCount, FourStoresWaitForNothing) {
    CoreWindow core;

    EXPECT_EQ(count_of(core, kStoreFour, 0).store_waits, 0U);
}

// The same page. Blackhole: the result of a product is available one cycle late. Wormhole: the next
// instruction enters one cycle late. Rounds have four products and two loop instructions: ten
// cycles on Wormhole in both cases, nine or six on Blackhole.
TEST(InstructionCount, ProductsThatTheNextOneWaitsForAreToldFromThoseThatAreFree) {
    CoreWindow core;

    const InstructionCount row = rounds_of(core, kMultiplyInARow, 100);
    const InstructionCount apart = rounds_of(core, kMultiplyApart, 100);

    EXPECT_EQ(row.slots, 900U);
    EXPECT_EQ(row.products, 100U) << "the loop's addition comes behind the last";
    EXPECT_EQ(apart.slots, 600U);
    EXPECT_EQ(apart.products, 400U);
}

TEST(InstructionCount, DivisionsTakeAsLongAsTheirDividendHasBits) {
    CoreWindow core;

    EXPECT_EQ(count_of(core, kDivide, 0xfff).dividend_bits, 12U);
    EXPECT_EQ(count_of(core, kDivide, 0x1234'5678).dividend_bits, 29U);
    EXPECT_EQ(count_of(core, kDivide, 0xffff'ffff).dividend_bits, 29U) << "33 cycles at most";
    EXPECT_EQ(count_of(core, kDivide, 0).dividend_bits, 5U) << "6 cycles at least";
}

/// Sets the word that a kernel polls, after a delay.
std::jthread set_after(CoreWindow& core, std::chrono::milliseconds time) {
    return std::jthread([&core, time] {
        std::this_thread::sleep_for(time);
        std::atomic_ref(core.word(kWords)).store(1);
    });
}

// The number of rounds depends on the host and must not be visible in a trace.
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
