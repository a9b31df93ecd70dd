// SPDX-License-Identifier: Apache-2.0
// Kernels that run for ever, and the whole message each ends with.
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

// The first multiple of kLoopRoundsPerCall from the limit on.
constexpr const char* kLimit =
    "Deadlock: device 0 core (1,0) reader loop.cpp:3: this loop has gone round 100352 times and "
    "does not end; allowed: machine.progress_limit, 100000";

TEST_P(Livelock, ALoopWithoutAnEffectNamesItsLine) {
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            while (true) {}
        })"),
              kLimit);
}

TEST_P(Livelock, ALoopThatComputesNamesItsLine) {
    EXPECT_EQ(end_of(R"(
        void kernel_main() { uint32_t x = my_x[0];
            do { x = x * x + 1; } while (x != 3);
            noc_async_write_barrier();
        })"),
              kLimit);
}

TEST_P(Livelock, EndlessReadsNameTheirLoop) {
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            while (true) {
                noc_async_read(get_noc_addr(18, 18, 0x40000), 0x50000, 32);
                noc_async_read_barrier();
            }
        })"),
              kLimit);
}

TEST_P(Livelock, EndlessTrafficNamesItsLoop) {
    EXPECT_EQ(end_of(R"(
        void kernel_main() {
            while (true) {
                noc_async_write(0x50000, get_noc_addr(18, 18, 0x40000), 32);
                noc_async_write_barrier();
            }
        })"),
              kLimit);
}

TEST_P(Livelock, APollForWhatNobodyWritesIsADeadlockAtItsLine) {
    EXPECT_EQ(
        end_of(R"(
        void kernel_main() {
            auto* word = reinterpret_cast<volatile uint32_t*>(0x40000); *word = 0;
            while (*word != 1) {}
        })"),
        "Deadlock: device 0 core (1,0) reader loop.cpp:4: device 0 core (1,0) reader polls L1 for "
        "a value nobody left will write\n"
        "  1 kernel thread is blocked and nothing is in flight:\n"
        "    device 0 core (1,0) reader loop.cpp:4 waits in a loop that polls L1");
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

INSTANTIATE_TEST_SUITE_P(Threads, Livelock, ::testing::Values(1, 2, 5),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace tessera
