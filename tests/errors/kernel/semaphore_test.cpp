// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/semaphore.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::own_word;

void seventeenth_semaphore() {
    (void)get_semaphore(16);
}
void second_semaphore() {
    (void)get_semaphore(1);
}
void increment_misaligned() {
    noc_semaphore_inc(get_noc_addr(19, 18, 40962), 1);
}
void increment_dram() {
    noc_semaphore_inc(get_noc_addr_from_bank_id<true>(0, 64), 1);
}
void wait_misaligned() {
    noc_semaphore_wait(own_word(40961), 1);
}

TEST(SemaphoreErrors, AnIdBeyondTheLastIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(seventeenth_semaphore),
              "OutOfBounds: get_semaphore(16): a core has semaphores 0 to 15");
}

TEST(SemaphoreErrors, AnIdThatTheProgramHasNotMadeIsRefused) {
    KernelRig rig;
    rig.device.has_semaphore = {true, false, true};
    EXPECT_EQ(
        rig.fault_of(second_semaphore),
        "UndefinedBehavior: get_semaphore(1): the program has not made it; its semaphores are "
        "0, 2");
}

TEST(SemaphoreErrors, AnyIdIsRefusedWhereTheProgramHasNone) {
    KernelRig rig;
    rig.device.has_semaphore = {};
    EXPECT_EQ(
        rig.fault_of(second_semaphore),
        "UndefinedBehavior: get_semaphore(1): the program has not made it; its semaphores are "
        "none");
}

TEST(SemaphoreErrors, AnUnalignedIncrementIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(increment_misaligned),
              "UndefinedBehavior: noc_semaphore_inc: address 0xa002 is not a multiple of 4");
}

TEST(SemaphoreErrors, AnIncrementInDramIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(increment_dram),
              "UndefinedBehavior: noc_semaphore_inc: address 0x40 lies in DRAM");
}

TEST(SemaphoreErrors, AnUnalignedWaitIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(wait_misaligned),
              "UndefinedBehavior: noc_semaphore_wait: address 0xa001 is not a multiple of 4");
}

}  // namespace
}  // namespace tessera
