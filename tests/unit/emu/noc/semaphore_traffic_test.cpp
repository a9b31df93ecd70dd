// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/semaphore_traffic.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/objects/semaphore.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;
using testing::own_word;
using testing::semaphore_at;

std::uint64_t at(std::uint32_t x, std::uint32_t y, std::uint32_t address) {
    return get_noc_addr(18 + x, 18 + y, address);
}

void increment_by_three() {
    noc_semaphore_inc(at(1, 1, semaphore_at(2)), 3);
    noc_async_atomic_barrier();
}

TEST(SemaphoreInc, AddsWithWrap) {
    KernelRig rig;
    rig.set_word({1, 1}, semaphore_at(2), 0xFFFFFFFE);
    rig.place({0, 0}, Processor::Riscv0, increment_by_three);

    rig.run();

    EXPECT_EQ(rig.word({1, 1}, semaphore_at(2)), 1U);
}

void set_remote() {
    *own_word(kScratch) = 42;
    noc_semaphore_set_remote(kScratch, at(1, 0, semaphore_at(0)));
}

void wait_for_42() {
    noc_semaphore_wait(own_word(semaphore_at(0)), 42);
}
void wait_for_at_least_40() {
    noc_semaphore_wait_min(own_word(semaphore_at(0)), 40);
}

TEST(SemaphoreSetRemote, CopiesTheLocalWordAndWakesTheWaiter) {
    KernelRig rig(2, 2, 2);
    rig.place({0, 0}, Processor::Riscv0, set_remote);
    rig.place({1, 0}, Processor::Riscv1, wait_for_42);
    rig.place({1, 0}, Processor::Riscv0, wait_for_at_least_40);

    EXPECT_NO_THROW(rig.run());
}

// Semaphore 1 is the source, semaphore 3 of each target gets its value.
void relay() {
    const experimental::Noc noc;
    const experimental::Semaphore<> source(1);
    const experimental::Semaphore<> target(3);
    source.set(42);
    source.relay_unicast(noc, target, 18 + 1, 18 + 1);
    source.relay_multicast(noc, target, 18 + 1, 18, 18 + 1, 18, 1);
    noc.async_write_barrier();
}
void relay_to_itself_too() {
    const experimental::Semaphore<> source(1);
    source.set(42);
    source.relay_multicast<experimental::NocOptions::MCAST_INCL_SRC>(
        experimental::Noc(), experimental::Semaphore<>(3), 18, 18, 18 + 1, 18, 2);
    noc_async_write_barrier();
}

TEST(SemaphoreRelay, CopiesTheOwnWordToAnotherSemaphoreElsewhere) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, relay);

    rig.run();

    EXPECT_EQ(rig.word({1, 1}, semaphore_at(3)), 42U);
    EXPECT_EQ(rig.word({1, 0}, semaphore_at(3)), 42U);
    EXPECT_EQ(rig.word({0, 0}, semaphore_at(3)), 0U);
    EXPECT_EQ(rig.word({0, 1}, semaphore_at(3)), 0U);
}

TEST(SemaphoreRelay, IncludesItsSenderIfAsked) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, relay_to_itself_too);

    rig.run();

    EXPECT_EQ(rig.word({0, 0}, semaphore_at(3)), 42U);
    EXPECT_EQ(rig.word({1, 0}, semaphore_at(3)), 42U);
}

void store_plainly() {
    *own_word(semaphore_at(0)) = 42;
}

TEST(SemaphoreWait, SeesAPlainStoreOfTheOtherThreadOfItsCore) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv1, wait_for_42);
    rig.place({0, 0}, Processor::Riscv0, store_plainly);

    EXPECT_NO_THROW(rig.run());
}

void wait_for_a_flag() {
    wait_for_sync_register_value(semaphore_at(0), 42);
}

TEST(SemaphoreWait, TakesTheAddressOfAFlag) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv1, wait_for_a_flag);
    rig.place({0, 0}, Processor::Riscv0, store_plainly);

    EXPECT_NO_THROW(rig.run());
}

void write_two_bytes() {
    noc_inline_dw_write(at(1, 0, kScratch), 0xAABBCCDD, 0x6);
}

TEST(InlineWrite, TouchesTheEnabledBytesOnly) {
    KernelRig rig;
    rig.set_word({1, 0}, kScratch, 0x11223344);
    rig.place({0, 0}, Processor::Riscv0, write_two_bytes);

    rig.run();

    EXPECT_EQ(rig.word({1, 0}, kScratch), 0x11BBCC44U);
}

}  // namespace
}  // namespace tessera
