// SPDX-License-Identifier: Apache-2.0
// Messages about launches in which nothing can run: which threads wait for what, and the cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/core/trace_recorder.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/fabric_mux.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::KernelRig;
using testing::kScratch;
using testing::own_word;
using testing::semaphore_at;

/// Waits for `pages` of a CB that may have no producer.
template <std::uint32_t kCb, std::uint32_t kPages = 1>
void wait_for_pages() {
    cb_wait_front(kCb, kPages);
}

void finish() {
}

void push_one_page() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}

// Waits until the other thread frees cb 0 before it pushes cb 1 …
void fill_first_then_wait_for_space() {
    cb_reserve_back(1, 1);
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);
    cb_reserve_back(0, 1);
}

// … which the other thread needs before it frees cb 0.
void keep_first_and_wait_for_second() {
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
}

void fill_first_and_reserve_more() {
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);
    cb_reserve_back(0, 1);
}

void wait_for_one() {
    noc_semaphore_wait(own_word(semaphore_at(0)), 1);
}

// Increments the semaphore of the core to the right; the last core increments the first's.
void set_the_next() {
    const CoreCoord here = current_thread().core().logical();
    noc_semaphore_inc(get_noc_addr(18 + (here.x + 1) % 4, 18 + here.y, semaphore_at(0)), 1);
    noc_async_atomic_barrier();
}

void set_the_next_and_wait_for_two() {
    set_the_next();
    noc_semaphore_wait_min(own_word(semaphore_at(0)), 2);
}

void wait_for_at_least_one() {
    noc_semaphore_wait_min(own_word(semaphore_at(0)), 1);
}

/// The cause is the whole first line of the message.
auto StartsWithCause(const std::string& cause) {
    return ::testing::StartsWith("Deadlock: " + cause + "\n");
}

/// Parameter: number of host threads. CBs 0 to 2 have two pages.
class Deadlock : public ::testing::TestWithParam<std::uint32_t> {
protected:
    Deadlock() {
        for (std::uint32_t index = 0; index < 3; ++index) {
            rig_.add_buffer(index, 2, 16, DataFormat::UInt32);
        }
    }
    KernelRig rig_{4, 2, GetParam()};
};

TEST_P(Deadlock, OfMissingPagesNamesTheFinishedProducer) {
    rig_.place({1, 1}, Processor::Riscv1, push_one_page, "push.cpp");
    rig_.place({1, 1}, Processor::Riscv0, wait_for_pages<0, 2>, "wait.cpp");

    const std::string error = rig_.fault();

    EXPECT_THAT(error, HasSubstr("waits in cb_wait_front(cb 0, 2): 1 of 2 pages are there"));
    EXPECT_THAT(error, StartsWithCause("the producer of cb 0, reader push.cpp, has finished "
                                       "after 1 pages in all"));
}

TEST_P(Deadlock, OfTwoThreadsThatWaitForEachOtherIsACycle) {
    rig_.place({0, 0}, Processor::Riscv1, fill_first_then_wait_for_space);
    rig_.place({0, 0}, Processor::Riscv0, keep_first_and_wait_for_second);

    const std::string error = rig_.fault();

    EXPECT_THAT(error, HasSubstr("2 kernel threads are blocked"));
    EXPECT_THAT(error,
                StartsWithCause("a cycle on device 0 core (0,0): writer waits for pages "
                                "of cb 1 from reader, reader waits for space of cb 0 from writer; "
                                "with more than 2 pages in cb 0 reader would advance"));
}

TEST_P(Deadlock, BeforeTheFirstPageIsProbablyACycle) {
    rig_.place({0, 0}, Processor::Riscv1, wait_for_pages<1>);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<0>);

    EXPECT_THAT(
        rig_.fault(),
        StartsWithCause("probably a cycle on device 0 core (0,0): writer waits for "
                        "pages of cb 0 from reader, reader waits for pages of cb 1 from writer; or "
                        "a compute kernel is missing: this core has none"));
}

TEST_P(Deadlock, OfACircularBufferTooShallowForItsOrderNamesItsPages) {
    rig_.place({0, 0}, Processor::Riscv1, fill_first_and_reserve_more);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<1>);

    EXPECT_THAT(
        rig_.fault(),
        StartsWithCause(
            "probably a cycle on device 0 core (0,0): writer waits for "
            "pages of cb 1 from reader, reader waits for space of cb 0 from writer; with more "
            "than 2 pages in cb 0 reader would advance; or a compute kernel is missing: this core "
            "has none"));
}

TEST_P(Deadlock, OfThreeThreadsIsACycleOfThoseThatTheDataPassesFirst) {
    rig_.place({0, 0}, Processor::Riscv1, fill_first_and_reserve_more);
    rig_.place({0, 0}, Processor::Compute, wait_for_pages<1>);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<2>);

    EXPECT_THAT(rig_.fault(),
                StartsWithCause(
                    "probably a cycle on device 0 core (0,0): compute waits for "
                    "pages of cb 1 from reader, reader waits for space of cb 0 from compute; with "
                    "more than 2 pages in cb 0 reader would advance"));
}

TEST_P(Deadlock, OfAThreadThatWaitsForAnotherCoreIsNoCycleOfTheRest) {
    rig_.place({0, 0}, Processor::Riscv1, wait_for_at_least_one);
    rig_.place({0, 0}, Processor::Compute, wait_for_pages<0>);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<2>);

    EXPECT_THAT(rig_.fault(),
                StartsWithCause("no thread that can still run would set semaphore 0 of device "
                                "0 core (0,0) reader to 1"));
}

TEST_P(Deadlock, OfACircularBufferThatNobodyFillsNamesWhoFinishedWithout) {
    rig_.place({1, 1}, Processor::Riscv1, finish, "idle.cpp");
    rig_.place({1, 1}, Processor::Compute, finish, "empty.cpp");
    rig_.place({1, 1}, Processor::Riscv0, wait_for_pages<0>);

    EXPECT_THAT(rig_.fault(),
                StartsWithCause("no thread has pushed to cb 0 on device 0 core (1,1) writer; "
                                "reader idle.cpp and compute empty.cpp finished without"));
}

TEST_P(Deadlock, IsNotCausedByTheWaitOfOneThatOthersHoldUp) {
    rig_.place({0, 0}, Processor::Riscv0, wait_for_at_least_one);
    rig_.place({1, 1}, Processor::Riscv1, push_one_page, "push.cpp");
    rig_.place({1, 1}, Processor::Riscv0, wait_for_pages<0, 2>);

    const std::string error = rig_.fault();

    EXPECT_THAT(error, HasSubstr("2 kernel threads are blocked"));
    EXPECT_THAT(error, StartsWithCause("the producer of cb 0, reader push.cpp, has finished "
                                       "after 1 pages in all"));
}

TEST_P(Deadlock, OfASemaphoreThatOvershotNamesItsValue) {
    rig_.place({0, 0}, Processor::Riscv0, wait_for_one);
    rig_.set_word({0, 0}, semaphore_at(0), 2);

    EXPECT_THAT(rig_.fault(),
                StartsWithCause("semaphore 0 of device 0 core (0,0) writer has passed the "
                                "value 1 (it is 2), and noc_semaphore_wait tests equality"));
}

TEST_P(Deadlock, OfASemaphoreCallsItByItsName) {
    rig_.place({1, 0}, Processor::Riscv0, wait_for_one);
    rig_.device.named_semaphores = {{CoreRangeSet(CoreCoord{0, 0}), 0, 0, "other"},
                                    {CoreRangeSet(CoreCoord{1, 0}), 0, 0, "ready"}};

    EXPECT_THAT(rig_.fault(),
                AllOf(StartsWithCause("no thread that can still run would set semaphore ready of "
                                      "device 0 core (1,0) writer to 1"),
                      HasSubstr("noc_semaphore_wait(semaphore ready, 1): its value is 0")));
}

TEST_P(Deadlock, OfEqualThreadsIsOneRowWithTheirCores) {
    for (const CoreCoord core : {CoreCoord{0, 0}, CoreCoord{1, 0}, CoreCoord{2, 0}, CoreCoord{0, 1},
                                 CoreCoord{1, 1}, CoreCoord{3, 1}}) {
        rig_.place(core, Processor::Riscv0, wait_for_at_least_one, "wait.cpp");
    }

    const std::string error = rig_.fault();

    EXPECT_THAT(error, HasSubstr("\n  6 kernel threads are blocked and nothing is in flight:\n"
                                 "    6 threads: device 0 cores (0,0)-(2,0), (0,1)-(1,1), (3,1) "
                                 "writer "));
    EXPECT_THAT(error, ::testing::EndsWith(" of wait.cpp waits in noc_semaphore_wait_min("
                                           "semaphore 0, 1): its value is 0"));
}

TEST_P(Deadlock, OfCoresThatAllWaitBeforeTheySetAnyIsProbablyARing) {
    for (std::uint32_t x = 0; x < 3; ++x) {
        rig_.place({x, 0}, Processor::Riscv0, wait_for_at_least_one);
    }

    EXPECT_THAT(
        rig_.fault(),
        AllOf(HasSubstr("Deadlock: probably a ring of 3 cores: each waits at "),
              HasSubstr(
                  " for semaphore 0 of its own core, and no other thread is left to set it\n")));
}

TEST_P(Deadlock, OfSemaphoresThatAFinishedKernelMayHaveLeftUnsetIsNoRing) {
    rig_.place({0, 0}, Processor::Riscv0, finish);
    for (std::uint32_t x = 1; x < 4; ++x) {
        rig_.place({x, 0}, Processor::Riscv0, wait_for_at_least_one);
    }

    EXPECT_THAT(rig_.fault(), StartsWithCause("no thread that can still run would set semaphore 0 "
                                              "of device 0 core (1,0) writer to 1"));
}

// The traces record which semaphores each core has set.
TEST_P(Deadlock, OfASecondRoundOfSemaphoresIsARingOfThoseWhoSetThem) {
    for (std::uint32_t x = 0; x < 4; ++x) {
        rig_.place({x, 0}, Processor::Riscv0, set_the_next_and_wait_for_two).recorder =
            std::make_unique<TraceRecorder>();
    }

    EXPECT_THAT(
        rig_.fault(),
        StartsWithCause("a ring of 4 cores: device 0 core (0,0) writer waits for semaphore 0 from "
                        "device 0 core (3,0) writer, device 0 core (3,0) writer waits for "
                        "semaphore 0 from device 0 core (2,0) writer, device 0 core (2,0) writer "
                        "waits for semaphore 0 from device 0 core (1,0) writer, device 0 core "
                        "(1,0) writer waits for semaphore 0 from device 0 core (0,0) writer"));
}

TEST_P(Deadlock, OfABarrierThatOneThreadDoesNotReachNamesItsCount) {
    rig_.place({3, 0}, Processor::Riscv0, set_the_next);
    rig_.place({0, 0}, Processor::Riscv0,
               [] { noc_semaphore_wait_min(own_word(semaphore_at(0)), 2); });
    rig_.place({1, 0}, Processor::Riscv0, wait_for_at_least_one);

    EXPECT_THAT(rig_.fault(),
                StartsWithCause("semaphore 0 of device 0 core (0,0) writer stays at 1 and "
                                "noc_semaphore_wait_min needs 2: no thread that can still run "
                                "would add to it"));
}

TEST_P(Deadlock, OfAWorkerWhoseMuxHasEndedNamesTheMux) {
    rig_.place({0, 0}, Processor::Riscv0, finish, "fabric_mux.cpp");
    rig_.place({1, 0}, Processor::Riscv1,
               [] { kernel::fabric_mux_wait(18, 18, CallSite::here()); });

    EXPECT_THAT(rig_.fault(),
                StartsWithCause("the mux on device 0 core (0,0) does not serve device 0 core (1,0) "
                                "reader: writer fabric_mux.cpp has ended before it connects"));
}

TEST_P(Deadlock, OfAMuxThatNobodyEndsNamesTheMux) {
    rig_.place(
        {0, 0}, Processor::Riscv0,
        [] {
            kernel::fabric_mux_begin(0, {});
            noc_semaphore_wait_min(own_word(kScratch), 1);
        },
        "fabric_mux.cpp");

    EXPECT_THAT(rig_.fault(),
                StartsWithCause("the mux on device 0 core (0,0), fabric_mux.cpp, still serves: no "
                                "worker has called fabric_endpoint_terminate for it"));
}

INSTANTIATE_TEST_SUITE_P(HostThreads, Deadlock, ::testing::Values(1U, 4U));

}  // namespace
}  // namespace tessera
