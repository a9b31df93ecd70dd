// SPDX-License-Identifier: Apache-2.0
// What is said of launches in which nothing can run: who waits for what, and the cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::KernelRig;
using testing::own_word;
using testing::semaphore_at;

/// Waits for `pages` of a CB, which nobody may push.
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

// Waits for the other to free cb 0 before it pushes cb 1 …
void fill_first_then_wait_for_space() {
    cb_reserve_back(1, 1);
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);
    cb_reserve_back(0, 1);
}

// … which the other needs before it frees cb 0.
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

void wait_for_at_least_one() {
    noc_semaphore_wait_min(own_word(semaphore_at(0)), 1);
}

/// Of so many host threads; CBs 0 to 2 have two pages.
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

    EXPECT_THAT(error, HasSubstr("waits in cb_wait_front(cb 0, 2): 1 of 2 pages are there\n"));
    EXPECT_THAT(error, EndsWith("\n  cause: the producer of cb 0, reader push.cpp, has finished "
                                "after 1 pages in all"));
}

TEST_P(Deadlock, OfTwoThreadsThatWaitForEachOtherIsACycle) {
    rig_.place({0, 0}, Processor::Riscv1, fill_first_then_wait_for_space);
    rig_.place({0, 0}, Processor::Riscv0, keep_first_and_wait_for_second);

    const std::string error = rig_.fault();

    EXPECT_THAT(error, HasSubstr("2 kernel threads are blocked"));
    EXPECT_THAT(error, EndsWith("\n  cause: a cycle on device 0 core (0,0): writer waits for pages "
                                "of cb 1 from reader waits for space of cb 0 from writer; cb 0 has "
                                "2 pages, with more reader would go on"));
}

TEST_P(Deadlock, BeforeTheFirstPageIsProbablyACycle) {
    rig_.place({0, 0}, Processor::Riscv1, wait_for_pages<1>);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<0>);

    EXPECT_THAT(rig_.fault(),
                EndsWith("\n  cause: probably a cycle on device 0 core (0,0): writer waits for "
                         "pages of cb 0 from reader waits for pages of cb 1 from writer"));
}

TEST_P(Deadlock, OfACircularBufferTooShallowForItsOrderNamesItsPages) {
    rig_.place({0, 0}, Processor::Riscv1, fill_first_and_reserve_more);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<1>);

    EXPECT_THAT(rig_.fault(),
                EndsWith("\n  cause: probably a cycle on device 0 core (0,0): writer waits for "
                         "pages of cb 1 from reader waits for space of cb 0 from writer; cb 0 has "
                         "2 pages, with more reader would go on"));
}

TEST_P(Deadlock, OfThreeThreadsIsACycleOfThoseThatTheDataPassesFirst) {
    rig_.place({0, 0}, Processor::Riscv1, fill_first_and_reserve_more);
    rig_.place({0, 0}, Processor::Compute, wait_for_pages<1>);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<2>);

    EXPECT_THAT(rig_.fault(),
                EndsWith("\n  cause: probably a cycle on device 0 core (0,0): compute waits for "
                         "pages of cb 1 from reader waits for space of cb 0 from compute; cb 0 has "
                         "2 pages, with more reader would go on"));
}

TEST_P(Deadlock, OfAThreadThatWaitsForAnotherCoreIsNoCycleOfTheRest) {
    rig_.place({0, 0}, Processor::Riscv1, wait_for_at_least_one);
    rig_.place({0, 0}, Processor::Compute, wait_for_pages<0>);
    rig_.place({0, 0}, Processor::Riscv0, wait_for_pages<2>);

    EXPECT_THAT(rig_.fault(),
                EndsWith("\n  cause: no thread that can still run would set semaphore 0 of device "
                         "0 core (0,0) reader to 1"));
}

TEST_P(Deadlock, OfACircularBufferThatNobodyFillsNamesWhoFinishedWithout) {
    rig_.place({1, 1}, Processor::Riscv1, finish, "idle.cpp");
    rig_.place({1, 1}, Processor::Compute, finish, "empty.cpp");
    rig_.place({1, 1}, Processor::Riscv0, wait_for_pages<0>);

    EXPECT_THAT(rig_.fault(),
                EndsWith("\n  cause: nobody has ever pushed to cb 0 on device 0 core (1,1) writer; "
                         "reader idle.cpp and compute empty.cpp finished without"));
}

TEST_P(Deadlock, IsNotCausedByTheWaitOfOneThatOthersHoldUp) {
    rig_.place({0, 0}, Processor::Riscv0, wait_for_at_least_one);
    rig_.place({1, 1}, Processor::Riscv1, push_one_page, "push.cpp");
    rig_.place({1, 1}, Processor::Riscv0, wait_for_pages<0, 2>);

    const std::string error = rig_.fault();

    EXPECT_THAT(error, HasSubstr("2 kernel threads are blocked"));
    EXPECT_THAT(error, EndsWith("\n  cause: the producer of cb 0, reader push.cpp, has finished "
                                "after 1 pages in all"));
}

TEST_P(Deadlock, OfASemaphoreThatOvershotNamesItsValue) {
    rig_.place({0, 0}, Processor::Riscv0, wait_for_one);
    rig_.set_word({0, 0}, semaphore_at(0), 2);

    EXPECT_THAT(rig_.fault(),
                EndsWith("\n  cause: semaphore 0 of device 0 core (0,0) writer has passed the "
                         "value 1 (it is 2), and noc_semaphore_wait tests equality"));
}

INSTANTIATE_TEST_SUITE_P(HostThreads, Deadlock, ::testing::Values(1U, 4U));

}  // namespace
}  // namespace tessera
