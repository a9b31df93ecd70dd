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

TEST(Blocked, AWaitForAValueThatIsNeverThereIsOne) {
    TraceBuilder builder;
    builder.core({0, 0}).reader(
        {event(SemaphoreAdd, 0, 2, WordArgument{64, NocPlace::worker({1, 0}), 0}.pack())});
    builder.core({1, 0}).reader({event(SemaphoreWait, 0, 1, 64)});

    EXPECT_NE(refusal(builder).find("word at 64 for 1"), std::string::npos);
}

}  // namespace
}  // namespace tessera::timing
