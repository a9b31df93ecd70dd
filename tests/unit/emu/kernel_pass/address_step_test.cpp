// SPDX-License-Identifier: Apache-2.0
// Runs kernels compiled with the address step on stacks inside their own windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/loop_rounds.hpp"
#include "tessera/window_layout.hpp"
#include "tests/unit/emu/kernel_pass/core_window.hpp"

extern "C" {
extern const tessera::CompiledKernel probe_kernel_addresses;
extern const tessera::CompiledKernel probe_kernel_assembly;
extern const tessera::CompiledKernel probe_kernel_division;
extern const tessera::CompiledKernel probe_kernel_globals;
extern const tessera::CompiledKernel probe_kernel_loops;
extern const tessera::CompiledKernel probe_kernel_same_name_one;
extern const tessera::CompiledKernel probe_kernel_same_name_two;
}

namespace {
struct LoopCall {
    std::uint64_t rounds;
    std::string place;
    tessera::LoopKind kind;
    bool operator==(const LoopCall&) const = default;
};
std::vector<LoopCall> loop_calls;
std::uint32_t* polled_word = nullptr;
}  // namespace

// Records the call and sets the word that the loop polls, as another thread would.
void tessera_loop_rounds(std::uint64_t rounds, const char* file, std::uint32_t line,
                         tessera::LoopKind kind) {
    const std::string name = std::filesystem::path(file).filename();
    loop_calls.push_back({rounds, name + ":" + std::to_string(line), kind});
    if (polled_word != nullptr) {
        *polled_word = 1;
    }
}

namespace tessera {
namespace {

using testing::ElementsAre;
using Results = std::vector<std::uint64_t>;

// Order of results of kernels/globals.cpp.
enum GlobalsResult : std::size_t {
    kCalls,
    kHelperCalls,
    kSmall,
    kWideElement,
    kPerThread,
    kFromArgument,
    kLastNode,
    kFirstArgument,
    kAddress,
};

Results addresses_on(const CoreWindow& window, CoreWindow& core) {
    static const std::uint32_t kHostWord = 33;
    window.word(0x1000) = 11;
    window.word(0x1004) = 12;
    window.word(0x2000) = 22;
    return core.launch(probe_kernel_addresses, Processor::Riscv1,
                       {0x1000, 0xF000'0000, std::bit_cast<std::uint64_t>(&kHostWord)});
}

TEST(AddressStep, EveryKindOfAddressReachesTheCoresOwnWindow) {
    CoreWindow core;

    const Results results = addresses_on(core, core);

    EXPECT_THAT(results,
                ElementsAre(11, 11, 0x1000, 12, 22, 33, 11, 56, 56, core.base() + 0xF000'0000, 77));
}

TEST(AddressStep, TheSameCodeServesTwoCores) {
    CoreWindow one;
    CoreWindow two;
    addresses_on(one, one);
    two.word(0x1000) = 211;
    two.word(0x1004) = 212;
    two.word(0x2000) = 222;
    const std::uint32_t host_word = 33;

    const Results results = two.launch(probe_kernel_addresses, Processor::Compute,
                                       {0x1000, 1, std::bit_cast<std::uint64_t>(&host_word)});

    EXPECT_EQ(results.at(0), 211U);
    EXPECT_EQ(results.at(3), 212U);
    EXPECT_EQ(results.at(4), 222U);
}

TEST(AddressStep, GlobalsStartFromTheirInitialValuesAtEachLaunch) {
    CoreWindow core;

    const Results first = core.launch(probe_kernel_globals, Processor::Riscv0, {7});
    const Results second = core.launch(probe_kernel_globals, Processor::Riscv0, {8});

    const std::uint64_t address = core.base() + kernel_globals_offset(Processor::Riscv0);
    EXPECT_THAT(first, ElementsAre(102, 41, 4, 13, 10, 8, 6, 7, testing::_));
    EXPECT_THAT(second, ElementsAre(102, 41, 4, 13, 10, 9, 6, 8, testing::_));
    EXPECT_GE(first.at(kAddress), address);
    EXPECT_LT(first.at(kAddress), address + probe_kernel_globals.globals_size);
}

TEST(AddressStep, EachProcessorOfEachCoreHasItsOwnGlobals) {
    CoreWindow one;
    CoreWindow two;
    one.launch(probe_kernel_globals, Processor::Riscv0, {1});
    one.launch(probe_kernel_globals, Processor::Riscv1, {1});
    two.launch(probe_kernel_globals, Processor::Riscv0, {1});

    const Results again = one.run(probe_kernel_globals, Processor::Riscv0, {1});
    const Results other = one.run(probe_kernel_globals, Processor::Riscv1, {1});

    EXPECT_EQ(again.at(kHelperCalls), 42U);
    EXPECT_EQ(other.at(kHelperCalls), 42U);
    EXPECT_NE(again.at(kAddress), other.at(kAddress));
    EXPECT_EQ(two.run(probe_kernel_globals, Processor::Riscv0, {1}).at(kCalls), 104U);
}

TEST(AddressStep, DivisionByZeroGivesAllOnesAndTheDividend) {
    CoreWindow core;

    const Results results = core.launch(probe_kernel_division, Processor::Riscv0, {25, 0});

    EXPECT_THAT(results, ElementsAre(0xFFFF'FFFF, 25, 0xFFFF'FFFF, 25, 0xFFFF'FFE7, 2));
}

TEST(AddressStep, DivisionOverflowGivesTheDividend) {
    CoreWindow core;

    const Results results =
        core.launch(probe_kernel_division, Processor::Riscv0, {0x8000'0000, 0xFFFF'FFFF});

    EXPECT_THAT(results, ElementsAre(0, 0x8000'0000, 0x8000'0000, 0, 0x8000'0000, 214748364));
}

TEST(AddressStep, OrdinaryDivisionIsUnchanged) {
    CoreWindow core;

    const Results results =
        core.launch(probe_kernel_division, Processor::Riscv0, {0xFFFF'FFF9, 2});  // -7, 2

    EXPECT_THAT(results, ElementsAre(0x7FFF'FFFC, 1, 0xFFFF'FFFD, 0xFFFF'FFFF, 7, 429496728));
}

TEST(AddressStep, RiscAssemblyVanishesAndHartIdIsTheProcessor) {
    CoreWindow core;

    EXPECT_THAT(core.launch(probe_kernel_assembly, Processor::Riscv0), ElementsAre(0));
    EXPECT_THAT(core.launch(probe_kernel_assembly, Processor::Compute), ElementsAre(2));
}

TEST(AddressStep, EqualNamesInTwoKernelsDoNotMeet) {
    CoreWindow core;

    EXPECT_THAT(core.launch(probe_kernel_same_name_one, Processor::Riscv0), ElementsAre(11));
    EXPECT_THAT(core.launch(probe_kernel_same_name_two, Processor::Riscv0), ElementsAre(22));
}

// Runs a case of kernels/loops.cpp.
class LoopRounds : public testing::Test {
protected:
    LoopRounds() {
        loop_calls.clear();
        polled_word = &core_.word(kWord);
    }
    ~LoopRounds() override { polled_word = nullptr; }
    Results run(std::uint64_t number, std::uint64_t count = 0) {
        return core_.launch(probe_kernel_loops, Processor::Riscv0, {number, kWord, count});
    }

    static constexpr std::uint32_t kWord = 0x1000;
    CoreWindow core_;
};

TEST_F(LoopRounds, ALoopThatPollsL1CallsWithItsLine) {
    run(0);

    EXPECT_THAT(loop_calls,
                ElementsAre(LoopCall{kLoopRoundsPerCall, "loops.cpp:5", LoopKind::PollsL1}));
}

TEST_F(LoopRounds, ATimeoutIsNoReasonNotToCall) {
    run(1);

    EXPECT_THAT(loop_calls, ElementsAre(LoopCall{kLoopRoundsPerCall, "loops.cpp:10",
                                                 LoopKind::PollsOrComputes}));
}

TEST_F(LoopRounds, ALoopWithATripCountNeverCalls) {
    for (std::uint32_t i = 0; i < 16; ++i) {
        core_.word(kWord + 4 * i) = i;
    }

    EXPECT_THAT(run(2, 16'000), ElementsAre(1000 * (15 * 16 / 2)));
    EXPECT_THAT(loop_calls, testing::IsEmpty());
}

TEST_F(LoopRounds, ALoopWithoutABoundCallsWhileItComputes) {
    EXPECT_THAT(run(3), ElementsAre(0x10000));

    EXPECT_EQ(loop_calls.size(), 0x10000 / kLoopRoundsPerCall);
    EXPECT_EQ(loop_calls.back(), (LoopCall{0x10000, "loops.cpp:26", LoopKind::Computes}));
}

}  // namespace
}  // namespace tessera
