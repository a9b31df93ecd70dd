// SPDX-License-Identifier: Apache-2.0
// Kernels that run forever, with the whole message of each.
#include <gtest/gtest.h>

#include <cstring>

#include "emu/mesh/mesh.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/launch/kernel_error_of.hpp"

namespace tessera {
namespace {

class Livelock : public ::testing::TestWithParam<std::uint32_t> {
protected:
    void add(Program& program, CoreCoord core, const char* text) {
        CreateKernelFromString(program, text, core, ReaderDataMovementConfig(), "loop.cpp");
    }
    std::string end_of(const char* text) {
        Program program;
        add(program, {1, 0}, text);
        return kernel_error_of(session_, program);
    }

    EmulatedSession session_{
        MeshSpec{}, testing::small_arch(),
        SessionOptions{.threads = GetParam(), .trace = TraceMode::On, .progress_limit = 100'000}};
};

constexpr const char* kNoExit =
    "Deadlock: device 0 core (1,0) reader loop.cpp:3: this loop never ends: it has no exit";

TEST_P(Livelock, ALoopWithoutAnExitNamesItsLine) {
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            while (true) {}
        })"),
              kNoExit);
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            while (true) noc_async_read_barrier();
        })"),
              kNoExit);
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            while (true) noc_semaphore_inc(get_noc_addr(18, 18, 0x40000), 1);
        })"),
              kNoExit);
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            while (true) {
                noc_async_read(get_noc_addr(18, 18, 0x40000), 0x50000, 32);
                noc_async_read_barrier();
            }
        })"),
              kNoExit);
}

// The limit, rounded up to a multiple of kLoopRoundsPerCall.
TEST_P(Livelock, ALoopThatComputesNamesItsLineAndTheLimit) {
    EXPECT_EQ(end_of(R"(
        void kernel_main() { uint32_t x = my_x[0];
            do { x = x * x + 1; } while (x != 3);
            noc_async_write_barrier();
        })"),
              "Deadlock: device 0 core (1,0) reader loop.cpp:3: this loop has gone round 3200000 "
              "times; allowed: 3200000, 32 times machine.progress_limit, which a loop that ends "
              "may need raised");
}

TEST_P(Livelock, ACountOf64BitsThatWrapsIsNoLoopThatEnds) {
    EXPECT_EQ(end_of(R"(
        volatile uint32_t rounds = 0;
        void kernel_main() { uint32_t count = my_x[0];
            for (uint64_t i = 0; i < uint64_t{count} - 100; ++i) { rounds = rounds + 1; }
        })"),
              "Deadlock: device 0 core (1,0) reader loop.cpp:4: this loop has gone round 3200000 "
              "times; allowed: 3200000, 32 times machine.progress_limit, which a loop that ends "
              "may need raised");
}

TEST_P(Livelock, ALoopWithCallsReachesTheLimitSooner) {
    EXPECT_EQ(
        end_of(R"(
        void kernel_main() { uint32_t x = my_x[0];
            do { x = x * x + 1; noc_async_write_barrier(); } while (x != 3);
        })"),
        "Deadlock: device 0 core (1,0) reader loop.cpp:3: this loop has gone round 1000448 "
        "times; allowed: 1000000, 10 times machine.progress_limit, which a loop that ends may "
        "need raised");
}

TEST_P(Livelock, APollForWhatNobodyWritesIsADeadlockAtItsLine) {
    EXPECT_EQ(
        end_of(R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x40000); *word = 0;
            while (*word != 1) {}
        })"),
        "Deadlock: device 0 core (1,0) reader loop.cpp:4: device 0 core (1,0) reader polls memory "
        "for a value that no remaining thread will write\n  1 kernel thread is blocked and nothing "
        "is in "
        "flight:\n    device 0 core (1,0) reader loop.cpp:4 waits in a loop that polls memory");
}

TEST_P(Livelock, ALoopOverMemoryThatItChangesNamesTheLimit) {
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x40000);
            while (*word != 1) { *word = 2 * *word; }
        })"),
              "Deadlock: device 0 core (1,0) reader loop.cpp:4: device 0 core (1,0) reader has run "
              "more than 3200000 iterations of this loop while no other thread advances, 32 "
              "times machine.progress_limit; raise that limit if the loop ends\n"
              "  1 kernel thread is blocked and nothing is in flight:\n"
              "    device 0 core (1,0) reader loop.cpp:4 waits in a loop that reads memory");
}

TEST_P(Livelock, AQuestionForPagesThatNobodyPushesNamesTheCall) {
    Program program;
    CircularBufferConfig config(64, {{0, DataFormat::Float16_b}});
    config.set_page_size(0, 32);
    CreateCircularBuffer(program, CoreCoord{1, 0}, config);
    add(program, {1, 0}, R"(
        void kernel_main() {
            while (!cb_pages_available_at_front(0, 1)) {}
        })");
    EXPECT_EQ(
        kernel_error_of(session_, program),
        "Deadlock: device 0 core (1,0) reader loop.cpp:3: device 0 core (1,0) reader waits for "
        "something that no remaining thread would provide\n  1 kernel thread is blocked and "
        "nothing is in "
        "flight:\n    device 0 core (1,0) reader loop.cpp:3 waits in a loop around this call");
}

TEST_P(Livelock, APollForWhatALaterCoreWritesEnds) {
    Program program;
    add(program, {0, 0}, R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x40000);
            while (*word != 1) {}
            *word = 2;
        })");
    add(program, {1, 0}, R"(
        void kernel_main() { noc_inline_dw_write(get_noc_addr(18, 18, 0x40000), 1); })");
    std::memset(session_.emulated_mesh().device(0).core({0, 0}).l1(0x40000), 0, 4);

    EXPECT_EQ(kernel_error_of(session_, program), "no KernelError");
    EXPECT_EQ(*session_.emulated_mesh().device(0).core({0, 0}).l1(0x40000), std::byte{2});
}

// Two cores pass a number back and forth 5000 times. WAIT is how they wait for it. The limit allows
// 98 yields of a loop that polls, and 2500 polling calls.
std::string pass_back_and_forth(const char* wait) {
    return std::string("#define WAIT ") + wait + R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x40000);
            const uint32_t me = get_absolute_logical_x();
            for (uint32_t i = 1; i <= 5000; ++i) {
                if (me == 1) { WAIT; }
                noc_inline_dw_write(get_noc_addr(19 - me, 18, 0x40000), i); if (me == 0) { WAIT; }
            }
        })";
}

TEST_P(Livelock, SignalsThatTwoCoresPollForAreNoDeadlockHoweverManyTheyAre) {
    for (const char* wait :
         {"while (*word != i) {}", "while (*word != i) { invalidate_l1_cache(); }",
          "do { invalidate_l1_cache(); } while (*word != i)"}) {
        SCOPED_TRACE(wait);
        Program program;
        for (const std::uint32_t x : {0U, 1U}) {
            add(program, {x, 0}, pass_back_and_forth(wait).c_str());
            std::memset(session_.emulated_mesh().device(0).core({x, 0}).l1(0x40000), 0, 4);
        }

        EXPECT_EQ(kernel_error_of(session_, program), "no KernelError");
    }
}

TEST_P(Livelock, PagesThatTwoKernelsAskForAreNoDeadlockHoweverManyTheyAre) {
    Program program;
    CircularBufferConfig config(64, {{0, DataFormat::Float16_b}});
    config.set_page_size(0, 32);
    CreateCircularBuffer(program, CoreCoord{1, 0}, config);
    add(program, {1, 0}, R"(
        void kernel_main() {
            for (uint32_t i = 0; i < 5000; ++i) {
                while (!cb_pages_reservable_at_back(0, 1)) {}
                cb_push_back(0, 1);
            }
        })");
    CreateKernelFromString(program, R"(
        void kernel_main() {
            for (uint32_t i = 0; i < 5000; ++i) {
                while (!cb_pages_available_at_front(0, 1)) {}
                cb_pop_front(0, 1);
            }
        })",
                           CoreCoord{1, 0}, WriterDataMovementConfig(), "pop.cpp");

    EXPECT_EQ(kernel_error_of(session_, program), "no KernelError");
}

// The barrier comes after the loop, and nothing that the kernel sends is missing.
TEST_P(Livelock, APollForTheBytesOfAnOwnReadEnds) {
    std::memset(session_.emulated_mesh().device(0).core({0, 0}).l1(0x40000), 7, 32);
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x50000); *word = 0;
            noc_async_read(get_noc_addr(18, 18, 0x40000), 0x50000, 32);
            while (*word == 0) {}
            noc_async_read_barrier();
        })"),
              "no KernelError");
}

TEST_P(Livelock, APollThatAsksAgainAndAgainWithoutAnAnswerIsADeadlock) {
    EXPECT_EQ(
        end_of(R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x40000); *word = 0;
            while (*word != 1) {
                noc_inline_dw_write(get_noc_addr(18, 18, 0x40000), 1);
                invalidate_l1_cache();
            }
        })"),
        "Deadlock: device 0 core (1,0) reader loop.cpp:6: device 0 core (1,0) reader waits for "
        "something that no remaining thread would provide\n  1 kernel thread is blocked and "
        "nothing is in flight:\n    device 0 core (1,0) reader loop.cpp:6 waits in a loop around "
        "this call");
}

TEST_P(Livelock, APollThatWaitsForTheClockInBetweenIsADeadlock) {
    EXPECT_EQ(
        end_of(R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x40000); *word = 0;
            auto* clock = reinterpret_cast<volatile uint32_t*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
            while (*word != 1) {
                const uint32_t end = *clock + 100'000;
                while (*clock < end) {}
            }
        })"),
        "Deadlock: device 0 core (1,0) reader loop.cpp:7: device 0 core (1,0) reader polls memory "
        "for a value that no remaining thread will write\n  1 kernel thread is blocked and nothing "
        "is in flight:\n    device 0 core (1,0) reader loop.cpp:7 waits in a loop that polls "
        "memory");
}

// Each takes 50 ms on a chip.
class ALongLoopThatEnds : public ::testing::TestWithParam<const char*> {};

TEST_P(ALongLoopThatEnds, IsNoDeadlock) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), SessionOptions{.threads = 1});
    Program program;
    CreateKernelFromString(program, std::string("void kernel_main() {") + GetParam() + "}",
                           CoreCoord{1, 0}, ReaderDataMovementConfig(), "loop.cpp");
    std::memset(session.emulated_mesh().device(0).core({1, 0}).l1(0x40000), 0, 4);

    EXPECT_EQ(kernel_error_of(session, program), "no KernelError");
}

INSTANTIATE_TEST_SUITE_P(
    Loops, ALongLoopThatEnds,
    ::testing::Values(
        "volatile uint32_t n = 10'000'000; while (n--) {}",
        "static volatile uint32_t n = 10'000'000; while (n--) {}",
        "uint32_t x = 1, i = 0; while (x != 0x3039 || i < 6'000'000) { x = x * 1664525u + "
        "1013904223u; if (++i > 7'000'000) break; } *(volatile uint32_t*)0x40004 = x;",
        "auto* word = (volatile uint32_t*)0x40000; for (uint32_t i = 0; i < 10'000'000; ++i) { if "
        "(*word == 1) break; }",
        "auto* word = (volatile uint32_t*)0x40000; *word = 10'000'000; while (*word != 0) { *word "
        "= "
        "*word - 1; }"));

INSTANTIATE_TEST_SUITE_P(Threads, Livelock, ::testing::Values(1, 2, 5),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace tessera
