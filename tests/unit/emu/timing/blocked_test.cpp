// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/emu/timing/trace_builder.hpp"

namespace tessera::timing {
namespace {

using enum EventKind;

std::string refusal(const TraceBuilder& builder) {
    try {
        (void)builder.run();
    } catch (const InternalError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Blocked, ThreadsAreNamedWithTheirLinesAndWhatTheyWaitFor) {
    TraceBuilder builder;
    builder.core({0, 0}, {1}).reader({cb(CbReserve, 0, 1), cb(CbWait, 0, 1)});
    builder.core({1, 1}).writer({event(SemaphoreWait, 0, 3, 64)}).compute({event(DstWait)});

    EXPECT_EQ(refusal(builder),
              "the trace of launch 'hand-made' cannot be replayed, 3 threads wait for ever:\n"
              "  device 0 core (0,0) reader kernel.cpp:2: wait CB data, CB 0\n"
              "  device 0 core (1,1) writer kernel.cpp:1: wait semaphore, word at 64 for 3\n"
              "  device 0 core (1,1) pack kernel.cpp:1: wait DST\n"
              " (please report this)");
}

// Core (1,0) resets its semaphore after the signal of core (0,0), whose additions came before it.
TEST(Blocked, AStoreThatErasesAdditionsIsNamedAsTheCause) {
    const auto add = [](std::uint32_t address) {
        return event(SemaphoreAdd, 0, 2, WordArgument{address, NocPlace::worker({1, 0}), 0}.pack());
    };
    TraceBuilder builder;
    builder.core({0, 0}).reader({add(64), add(80)});
    builder.core({1, 0}).reader({event(SemaphoreWait, 1, 2, 80), event(LocalWord, 0, 1, 64),
                                 event(SemaphoreWait, 1, 3, 64)});

    try {
        (void)builder.run();
        FAIL() << "no error";
    } catch (const KernelError& error) {
        EXPECT_STREQ(
            error.what(),
            "Deadlock: device 0 core (1,0) reader kernel.cpp:2: this store of 1 to the semaphore "
            "at 0x40 erases 2 that other cores have added to it at the predicted times; "
            "kernel.cpp:3 then waits for 3 and finds 1. On the host they came after the store. "
            "Store before the signal that lets other cores add, or let the semaphore grow and "
            "wait for the sum");
    }
}

TEST(Blocked, AStoreThatErasesAwaitedAdditionsIsNotTheCause) {
    TraceBuilder builder;
    builder.core({0, 0}).reader(
        {event(SemaphoreAdd, 0, 2, WordArgument{64, NocPlace::worker({1, 0}), 0}.pack())});
    builder.core({1, 0}).reader({event(SemaphoreWait, 1, 2, 64), event(LocalWord, 0, 0, 64),
                                 event(SemaphoreWait, 1, 2, 64)});

    EXPECT_NE(refusal(builder).find("cannot be replayed"), std::string::npos);
}

TEST(Blocked, AWaitForAValueThatIsNeverThereIsOne) {
    TraceBuilder builder;
    builder.core({0, 0}).reader(
        {event(SemaphoreAdd, 0, 2, WordArgument{64, NocPlace::worker({1, 0}), 0}.pack())});
    builder.core({1, 0}).reader({event(SemaphoreWait, 0, 1, 64)});

    EXPECT_NE(refusal(builder).find("word at 64 for 1"), std::string::npos);
}

}  // namespace
}  // namespace tessera::timing
