// SPDX-License-Identifier: Apache-2.0
// One mistake with circular buffers per test, with the whole message.
#include "tessera/kernel/dataflow/circular_buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;
using ::testing::MatchesRegex;

struct Case {
    const char* name;
    void (*kernel)();
    const char* message;
};

void wait_on_unconfigured() {
    cb_wait_front(5, 1);
}
void wait_beyond_last() {
    cb_wait_front(32, 1);
}
void reserve_more_than_all() {
    cb_reserve_back(0, 5);
}
void wait_for_more_than_all() {
    cb_wait_front(0, 5);
}
void push_without_reserve() {
    cb_reserve_back(0, 4);
    cb_push_back(0, 4);
    cb_push_back(0, 1);
}
void pop_without_wait() {
    cb_pop_front(0, 1);
}
void push_more_than_reserved() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 2);
}
void push_of_free_pages_that_nobody_reserved() {
    cb_push_back(0, 1);
}
void reserve_once_and_push_twice() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
    cb_push_back(0, 1);
}
void pop_of_pages_that_nobody_awaited() {
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);
    cb_pop_front(0, 1);
}
void wait_once_and_pop_twice() {
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
    cb_pop_front(0, 1);
}
void reserve_for_many_pushes_and_wait_for_many_pops() {
    for (int round = 0; round < 3; ++round) {
        cb_reserve_back(0, 4);
        for (int page = 0; page < 4; ++page) {
            cb_push_back(0, 1);
        }
        cb_wait_front(0, 2);
        cb_wait_front(0, 4);
        cb_pop_front(0, 3);
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    }
}
void ask_in_place_of_waiting() {
    while (!cb_pages_reservable_at_back(0, 2)) {
    }
    cb_push_back(0, 2);
    while (!cb_pages_available_at_front(0, 2)) {
    }
    cb_pop_front(0, 2);
}
void push_before_own_write_has_arrived() {
    cb_reserve_back(0, 1);
    noc_async_write(kScratch, get_noc_addr(18, 18, get_write_ptr(0)), 32);
    noc_async_writes_flushed();
    cb_push_back(0, 1);
}
void push_behind_the_barrier_of_own_write() {
    cb_reserve_back(0, 1);
    noc_async_write(kScratch, get_noc_addr(18, 18, get_write_ptr(0)), 32);
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
// As senders of blocks do: the flag follows the data, and the sender waits for both.
void push_when_the_flag_behind_own_write_has_arrived() {
    cb_reserve_back(0, 1);
    noc_async_write(kScratch, get_noc_addr(18, 18, get_write_ptr(0)), 32);
    noc_inline_dw_write(get_noc_addr(18, 18, kScratch + 64), 1);
    noc_semaphore_wait(testing::own_word(kScratch + 64), 1);
    cb_push_back(0, 1);
    noc_async_write_barrier();
}
void step_past_the_end() {
    cb_reserve_back(0, 3);
    cb_push_back(0, 3);
    cb_wait_front(0, 3);
    cb_pop_front(0, 3);
    cb_reserve_back(0, 3);
    cb_push_back(0, 3);
}
void push_before_read_barrier() {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(19, 18, kScratch), get_write_ptr(0), 32);
    cb_push_back(0, 1);
}
void pop_before_write_barrier() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    noc_async_write(get_read_ptr(0), get_noc_addr(19, 18, kScratch), 32);
    cb_pop_front(0, 1);
}

class CircularBufferErrors : public ::testing::TestWithParam<Case> {};

TEST_P(CircularBufferErrors, NameTheCallTheBufferAndWhatIsThere) {
    KernelRig rig = KernelRig();
    rig.add_buffer(0, 4, 32);

    EXPECT_THAT(rig.fault_of(GetParam().kernel), MatchesRegex(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, CircularBufferErrors,
    ::testing::Values(
        Case{"Unconfigured", wait_on_unconfigured,
             "UndefinedBehavior: cb_wait_front\\(cb 5\\): the program configures no circular "
             "buffer 5 on this core"},
        Case{"BeyondTheLast", wait_beyond_last,
             "OutOfBounds: cb_wait_front\\(cb 32\\): a core has circular buffers 0 to 31"},
        Case{"ReserveMoreThanAll", reserve_more_than_all,
             "Deadlock: cb_reserve_back\\(cb 0, 5\\) can never return: the circular buffer has 4 "
             "pages"},
        Case{"WaitForMoreThanAll", wait_for_more_than_all,
             "Deadlock: cb_wait_front\\(cb 0, 5\\) can never return: the circular buffer has 4 "
             "pages"},
        Case{"PushWithoutReserve", push_without_reserve,
             "UndefinedBehavior: cb_push_back\\(cb 0, 1\\) with 0 pages free: cb_reserve_back is "
             "missing"},
        Case{"PopWithoutWait", pop_without_wait,
             "UndefinedBehavior: cb_pop_front\\(cb 0, 1\\) with 0 pages in it: cb_wait_front is "
             "missing"},
        Case{"PushMoreThanReserved", push_more_than_reserved,
             "UndefinedBehavior: cb_push_back\\(cb 0, 2\\), but this kernel has 1 pages reserved "
             "and not pushed: cb_reserve_back is missing or asks for too few, or this call for too "
             "many"},
        Case{"PushOfFreePages", push_of_free_pages_that_nobody_reserved,
             "UndefinedBehavior: cb_push_back\\(cb 0, 1\\), but this kernel has 0 pages reserved "
             "and not pushed: cb_reserve_back is missing or asks for too few, or this call for too "
             "many"},
        Case{"ReserveOnceAndPushTwice", reserve_once_and_push_twice,
             "UndefinedBehavior: cb_push_back\\(cb 0, 1\\), but this kernel has 0 pages reserved "
             "and not pushed: cb_reserve_back is missing or asks for too few, or this call for too "
             "many"},
        Case{"PopOfFullPages", pop_of_pages_that_nobody_awaited,
             "UndefinedBehavior: cb_pop_front\\(cb 0, 1\\), but this kernel has waited for 0 pages "
             "that it has not popped: cb_wait_front is missing or asks for too few, or this call "
             "for too many"},
        Case{"WaitOnceAndPopTwice", wait_once_and_pop_twice,
             "UndefinedBehavior: cb_pop_front\\(cb 0, 1\\), but this kernel has waited for 0 pages "
             "that it has not popped: cb_wait_front is missing or asks for too few, or this call "
             "for too many"},
        Case{"ReserveForManyPushes", reserve_for_many_pushes_and_wait_for_many_pops, "no error"},
        Case{"AskInPlaceOfWaiting", ask_in_place_of_waiting, "no error"},
        Case{"PushBeforeOwnWriteHasArrived", push_before_own_write_has_arrived,
             "UndefinedBehavior: cb_push_back\\(cb 0\\) hands over pages that a write to this core "
             "issued at .*circular_buffer_test.cpp:[0-9]+ is still filling: "
             "noc_async_write_barrier is missing"},
        Case{"PushBehindTheBarrier", push_behind_the_barrier_of_own_write, "no error"},
        Case{"PushBehindTheFlag", push_when_the_flag_behind_own_write_has_arrived, "no error"},
        Case{"StepPastTheEnd", step_past_the_end,
             "UndefinedBehavior: cb_push_back\\(cb 0, 3\\) steps past the end of the circular "
             "buffer: its 4 pages must be a multiple of every number pushed or popped"},
        Case{"PushBeforeReadBarrier", push_before_read_barrier,
             "UndefinedBehavior: cb_push_back\\(cb 0\\) hands over pages that a noc_async_read "
             "issued at .*circular_buffer_test.cpp:[0-9]+ is still filling: "
             "noc_async_read_barrier is missing"},
        Case{"PopBeforeWriteBarrier", pop_before_write_barrier,
             "UndefinedBehavior: cb_pop_front\\(cb 0\\) hands over pages that a noc_async_write "
             "issued at .*circular_buffer_test.cpp:[0-9]+ is still reading: "
             "noc_async_writes_flushed or noc_async_write_barrier is missing"}),
    [](const auto& param) { return param.param.name; });

// A kernel that publishes a shard of a tensor reserves nothing.
TEST(ACircularBufferOverABuffer, TakesPushesAndPopsWithoutReserveAndWait) {
    KernelRig rig = KernelRig();
    rig.add_buffer(0, 4, 32);
    for (const auto& core : rig.device.cores()) {
        core->circular_buffers[0].is_over_buffer = true;
    }

    EXPECT_EQ(rig.fault_of([] {
        cb_push_back(0, 4);
        cb_pop_front(0, 4);
        cb_push_back(0, 5);
    }),
              "UndefinedBehavior: cb_push_back(cb 0, 5) with 4 pages free: cb_reserve_back is "
              "missing");
}

class PushOfOwnCopy : public ::testing::TestWithParam<NocDelivery> {};

TEST_P(PushOfOwnCopy, IsRefusedHoweverTransfersAreDelivered) {
    KernelRig rig = KernelRig();
    rig.delivery = GetParam();
    rig.add_buffer(0, 4, 32);

    EXPECT_THAT(rig.fault_of(push_before_own_write_has_arrived),
                MatchesRegex(".*a write to this core issued at .* is still filling: .*"));
    EXPECT_THAT(rig.fault_of(push_before_read_barrier),
                MatchesRegex(".*a noc_async_read issued at .* is still filling: .*"));
}

INSTANTIATE_TEST_SUITE_P(Deliveries, PushOfOwnCopy,
                         ::testing::Values(NocDelivery::AtIssue, NocDelivery::AtBarrier,
                                           NocDelivery::Random));

}  // namespace
}  // namespace tessera
