// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/circular_buffer.hpp"

#include <gtest/gtest.h>

#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;
using testing::own_word;

constexpr std::uint32_t kFirst = 110592;  // address of circular buffer 0 in the rig

void push_twice_and_note_pointers() {
    *own_word(kScratch) = get_write_ptr(0);
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
    *own_word(kScratch + 4) = get_write_ptr(0);
}

void push_once_elsewhere_and_note_pointer() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
    *own_word(kScratch + 8) = get_write_ptr(0);
    *own_word(kScratch + 12) = get_read_ptr(0);
}

TEST(CircularBuffer, EachThreadMovesItsOwnPointers) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    rig.place({0, 0}, Processor::Riscv1, push_twice_and_note_pointers);
    rig.place({0, 0}, Processor::Riscv0, push_once_elsewhere_and_note_pointer);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch), kFirst);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 4), kFirst + 32);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 8), kFirst + 32);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 12), kFirst);
    EXPECT_EQ(rig.device.core({0, 0}).circular_buffers[0].num_full(), 2U);
}

void wait_for_one_then_two() {
    cb_wait_front(0, 1);
    cb_wait_front(0, 2);
    *own_word(kScratch) = get_read_ptr(0);
    cb_pop_front(0, 2);
}

void push_two() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}

TEST(CircularBuffer, WaitFrontIsCumulativeAndPopsNothing) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    rig.place({0, 0}, Processor::Riscv1, push_two);
    rig.place({0, 0}, Processor::Riscv0, wait_for_one_then_two);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch), kFirst);
    EXPECT_EQ(rig.device.core({0, 0}).circular_buffers[0].num_full(), 0U);
}

void push_around_the_end() {
    for (int i = 0; i < 2; ++i) {
        cb_reserve_back(0, 2);
        cb_push_back(0, 2);
        cb_wait_front(0, 2);
        cb_pop_front(0, 2);
    }
    *own_word(kScratch) = get_write_ptr(0);
    *own_word(kScratch + 4) = get_read_ptr(0);
}

TEST(CircularBuffer, PointersReturnToTheStartWhereTheyMeetTheLimit) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    rig.place({0, 0}, Processor::Riscv0, push_around_the_end);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch), kFirst);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 4), kFirst);
}

void note_tile_size() {
    *own_word(kScratch) = static_cast<std::uint32_t>(get_tile_size(0));
    *own_word(kScratch + 4) = get_local_cb_interface(0).fifo_page_size;
}

TEST(CircularBuffer, TileSizeFollowsTheFormatAndNotThePage) {
    KernelRig rig;
    rig.add_buffer(0, 4, 96, DataFormat::Bfp8_b);
    rig.place({0, 0}, Processor::Riscv0, note_tile_size);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch), 1088U);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 4), 96U);
}

void push_first_of_two_on_one_address() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
}

TEST(CircularBuffer, IndicesOnOneAddressCountApart) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    rig.add_buffer(1, 4, 32);
    Core& core = rig.device.core({0, 0});
    core.circular_buffers[1].address = core.circular_buffers[0].address;
    rig.place({0, 0}, Processor::Riscv0, push_first_of_two_on_one_address);

    rig.run();

    EXPECT_EQ(core.circular_buffers[0].num_full(), 1U);
    EXPECT_EQ(core.circular_buffers[1].num_full(), 0U);
}

void ask_without_blocking() {
    *own_word(kScratch) = cb_pages_available_at_front(0, 1) ? 1 : 0;
    *own_word(kScratch + 4) = cb_pages_reservable_at_back(0, 4) ? 1 : 0;
    *own_word(kScratch + 8) = cb_pages_reservable_at_back(0, 5) ? 1 : 0;
}

TEST(CircularBuffer, QueriesAnswerWithoutBlocking) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    rig.place({0, 0}, Processor::Riscv0, ask_without_blocking);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch), 0U);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 4), 1U);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 8), 0U);
}

}  // namespace
}  // namespace tessera
