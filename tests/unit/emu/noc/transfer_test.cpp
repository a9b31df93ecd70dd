// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/transfer.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;
using testing::own_word;
using testing::semaphore_at;

constexpr std::uint32_t kMarker = 0xC0FFEE;

std::uint64_t at(std::uint32_t x, std::uint32_t y, std::uint32_t address) {
    return get_noc_addr(18 + x, 18 + y, address);
}

void read_then_look_then_barrier() {
    noc_async_read(at(1, 0, kScratch), kScratch, 16);
    *own_word(kScratch + 64) = *own_word(kScratch);
    noc_async_read_barrier();
    *own_word(kScratch + 68) = *own_word(kScratch);
}

class ReadDelivery : public ::testing::TestWithParam<NocDelivery> {};

TEST_P(ReadDelivery, LandsAtTheBarrierAtTheLatest) {
    KernelRig rig;
    rig.delivery = GetParam();
    rig.set_word({1, 0}, kScratch, kMarker);
    rig.place({0, 0}, Processor::Riscv1, read_then_look_then_barrier);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch + 68), kMarker);
}

INSTANTIATE_TEST_SUITE_P(Modes, ReadDelivery,
                         ::testing::Values(NocDelivery::AtIssue, NocDelivery::AtBarrier,
                                           NocDelivery::Random));

TEST(NocRead, HasNotLandedBeforeItsBarrierWhenDeliveredLate) {
    KernelRig rig;
    rig.set_word({1, 0}, kScratch, kMarker);
    rig.place({0, 0}, Processor::Riscv1, read_then_look_then_barrier);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch + 64), 0U);
}

TEST(NocRead, HasLandedInsideTheCallWhenDeliveredAtIssue) {
    KernelRig rig;
    rig.delivery = NocDelivery::AtIssue;
    rig.set_word({1, 0}, kScratch, kMarker);
    rig.place({0, 0}, Processor::Riscv1, read_then_look_then_barrier);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch + 64), kMarker);
}

void write_flush_reuse() {
    *own_word(kScratch) = kMarker;
    noc_async_write(kScratch, at(1, 1, kScratch), 16);
    noc_async_writes_flushed();
    *own_word(kScratch) = 0;
    noc_async_write_barrier();
}

TEST(NocWrite, AFlushFreesTheSourceAndTheDataStillArrives) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, write_flush_reuse);

    rig.run();

    EXPECT_EQ(rig.word({1, 1}, kScratch), kMarker);
}

void write_reuse_without_flush() {
    *own_word(kScratch) = kMarker;
    noc_async_write(kScratch, at(1, 1, kScratch), 16);
    *own_word(kScratch) = 0;
    noc_async_write_barrier();
}

TEST(NocWrite, ReuseOfTheSourceBeforeAFlushShowsInTheValue) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, write_reuse_without_flush);

    rig.run();

    EXPECT_EQ(rig.word({1, 1}, kScratch), 0U);
}

void write_data_then_raise_flag() {
    *own_word(kScratch) = kMarker;
    noc_async_write(kScratch, at(1, 0, kScratch), 16);
    noc_semaphore_inc(at(1, 0, semaphore_at(0)), 1);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

void wait_for_flag_then_copy() {
    noc_semaphore_wait(own_word(semaphore_at(0)), 1);
    *own_word(kScratch + 64) = *own_word(kScratch);
}

class DataBeforeFlag : public ::testing::TestWithParam<NocDelivery> {};

TEST_P(DataBeforeFlag, HoldsOnOneNocToOneCoreWithoutABarrier) {
    KernelRig rig(2, 2, 2);
    rig.delivery = GetParam();
    rig.place({0, 0}, Processor::Riscv0, write_data_then_raise_flag);
    rig.place({1, 0}, Processor::Riscv1, wait_for_flag_then_copy);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, kScratch + 64), kMarker);
}

INSTANTIATE_TEST_SUITE_P(Modes, DataBeforeFlag,
                         ::testing::Values(NocDelivery::AtIssue, NocDelivery::AtBarrier,
                                           NocDelivery::Random));

void send_flag_as_data_and_wait_for_answer() {
    *own_word(kScratch) = 1;
    noc_async_write(kScratch, at(1, 0, semaphore_at(0)), 4);
    noc_semaphore_wait(own_word(semaphore_at(1)), 1);
    noc_async_write_barrier();
}

void answer_flag() {
    noc_semaphore_wait(own_word(semaphore_at(0)), 1);
    noc_semaphore_inc(at(0, 0, semaphore_at(1)), 1);
    noc_async_atomic_barrier();
}

TEST(NocWrite, ArrivesEventuallyWhenNothingElseCanRun) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, send_flag_as_data_and_wait_for_answer);
    rig.place({1, 0}, Processor::Riscv1, answer_flag);

    EXPECT_NO_THROW(rig.run());
}

void read_two_with_ids_and_wait_for_one() {
    noc_async_read_set_trid(1);
    noc_async_read(at(1, 0, kScratch), kScratch, 16);
    noc_async_read_set_trid(2);
    noc_async_read(at(1, 0, kScratch), kScratch + 16, 16);
    noc_async_read_barrier_with_trid(2);
    *own_word(kScratch + 64) = *own_word(kScratch);
    *own_word(kScratch + 68) = *own_word(kScratch + 16);
    noc_async_read_barrier();
}

TEST(TransactionIds, ABarrierWithAnIdWaitsForThatIdOnly) {
    KernelRig rig;
    rig.set_word({1, 0}, kScratch, kMarker);
    rig.place({0, 0}, Processor::Riscv1, read_two_with_ids_and_wait_for_one);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, kScratch + 64), 0U);
    EXPECT_EQ(rig.word({0, 0}, kScratch + 68), kMarker);
}

void read_with_state() {
    noc_async_read_one_packet_set_state(at(1, 0, 0), 16);
    for (std::uint32_t i = 0; i < 4; ++i) {
        noc_async_read_one_packet_with_state(kScratch + 16 * i, kScratch + 16 * i);
    }
    noc_async_read_barrier();
}

TEST(LatchedRead, GivesLowAddressesOnly) {
    KernelRig rig;
    for (std::uint32_t i = 0; i < 4; ++i) {
        rig.set_word({1, 0}, kScratch + 16 * i, kMarker + i);
    }
    rig.place({0, 0}, Processor::Riscv1, read_with_state);

    rig.run();

    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(rig.word({0, 0}, kScratch + 16 * i), kMarker + i);
    }
}

void write_to_dram_and_back() {
    *own_word(kScratch) = kMarker;
    const std::uint64_t bank = get_noc_addr_from_bank_id<true>(7, 4096);
    noc_async_write(kScratch, bank, 32);
    noc_async_write_barrier();
    noc_async_read(bank, kScratch + 64, 32);
    noc_async_read_barrier();
}

TEST(Dram, GivesBackWhatWasWritten) {
    KernelRig rig;
    rig.place({1, 1}, Processor::Riscv0, write_to_dram_and_back);

    rig.run();

    EXPECT_EQ(rig.word({1, 1}, kScratch + 64), kMarker);
    EXPECT_EQ(rig.device.core({1, 1}).threads[0]->activity.bytes_written, 32U);
    EXPECT_EQ(rig.device.core({1, 1}).threads[0]->activity.bytes_read, 32U);
}

}  // namespace
}  // namespace tessera
