// SPDX-License-Identifier: Apache-2.0
// One mistake with circular buffers a test, and the whole message.
#include "tessera/kernel/dataflow/circular_buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc.hpp"
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
             "UndefinedBehavior: cb_pop_front\\(cb 0, 1\\) with 0 pages there: cb_wait_front is "
             "missing"},
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

}  // namespace
}  // namespace tessera
