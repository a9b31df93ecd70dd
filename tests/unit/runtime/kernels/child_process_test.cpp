// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using ::testing::ThrowsMessage;

ProcessOutcome shell(const std::string& script, const ProcessLimits& limits = {}) {
    return run_process({"/bin/sh", "-c", script}, "kernel k.cpp does not compile", limits);
}

TEST(ChildProcess, GivesWhatItWritesAndHowItEnds) {
    const ProcessOutcome outcome = shell("echo out; echo err >&2; exit 7");

    EXPECT_EQ(outcome.output, "out\nerr\n");
    EXPECT_EQ(outcome.exit_code, 7);
}

TEST(ChildProcess, ThatComputesForTooLongIsStopped) {
    EXPECT_THAT([] { shell("while :; do :; done", {.processor_seconds = 1}); },
                ThrowsMessage<ProcessLimitError>(
                    "kernel k.cpp does not compile: the compiler was stopped; allowed: 1 s of "
                    "processor time, 300 s in all, 2 GiB of memory"));
}

TEST(ChildProcess, ThatWaitsForTooLongIsStopped) {
    EXPECT_THAT([] { shell("exec sleep 100", {.seconds = 1}); },
                ThrowsMessage<ProcessLimitError>(
                    "kernel k.cpp does not compile: the compiler was stopped; allowed: 60 s of "
                    "processor time, 1 s in all, 2 GiB of memory"));
}

}  // namespace
}  // namespace tessera
