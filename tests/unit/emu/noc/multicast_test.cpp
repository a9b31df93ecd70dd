// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/multicast.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/multicast.hpp"
#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;
using testing::own_word;
using testing::semaphore_at;

constexpr std::uint32_t kMarker = 0xBEEF;

// The rectangle (0,0)-(2,1) of a 4×2 grid.
std::uint64_t rectangle(std::uint32_t address) {
    return get_noc_multicast_addr(18, 18, 20, 19, address);
}

void multicast_without_sender() {
    *own_word(kScratch) = kMarker;
    noc_async_write_multicast(kScratch, rectangle(kScratch + 64), 16, 5);
    noc_async_write_barrier();
}

TEST(Multicast, ReachesEveryCoreOfTheRectangleButTheSender) {
    KernelRig rig(4, 2);
    rig.place({1, 1}, Processor::Riscv0, multicast_without_sender);

    rig.run();

    EXPECT_EQ(rig.word({1, 1}, kScratch + 64), 0U);
    for (const CoreCoord core : {CoreCoord{0, 0}, CoreCoord{2, 0}, CoreCoord{0, 1}}) {
        EXPECT_EQ(rig.word(core, kScratch + 64), kMarker) << to_string(core);
    }
    EXPECT_EQ(rig.word({3, 0}, kScratch + 64), 0U);
}

void multicast_with_sender() {
    *own_word(kScratch) = kMarker;
    noc_async_write_multicast_loopback_src(kScratch, rectangle(kScratch + 64), 16, 6);
    noc_async_write_barrier();
}

TEST(Multicast, LoopbackReachesTheSenderToo) {
    KernelRig rig(4, 2);
    rig.place({1, 1}, Processor::Riscv0, multicast_with_sender);

    rig.run();

    EXPECT_EQ(rig.word({1, 1}, kScratch + 64), kMarker);
}

void multicast_data_then_flag() {
    *own_word(kScratch) = kMarker;
    noc_async_write_multicast(kScratch, rectangle(kScratch), 16, 5, true);
    noc_semaphore_set(own_word(semaphore_at(0)), 1);
    noc_semaphore_set_multicast(semaphore_at(0), rectangle(semaphore_at(0)), 5);
    noc_async_write_barrier();
}

void receive() {
    noc_semaphore_wait(own_word(semaphore_at(0)), 1);
    *own_word(kScratch + 64) = *own_word(kScratch);
}

TEST(Multicast, DataArrivesBeforeTheFlagBehindIt) {
    KernelRig rig(4, 2, 2);
    rig.place({0, 0}, Processor::Riscv0, multicast_data_then_flag);
    for (const CoreCoord core : {CoreCoord{1, 0}, CoreCoord{2, 0}, CoreCoord{2, 1}}) {
        rig.place(core, Processor::Riscv1, receive);
    }

    rig.run();

    EXPECT_EQ(rig.word({2, 1}, kScratch + 64), kMarker);
}

void multicast_on_noc1_with_swapped_corners() {
    *own_word(kScratch) = kMarker;
    const std::uint64_t swapped = get_noc_multicast_addr(20, 19, 18, 18, kScratch + 64, 1);
    noc_async_write_multicast(kScratch, swapped, 16, 5, false, 1);
    noc_async_write_barrier(1);
}

TEST(Multicast, OnNoc1TheCornersComeSwapped) {
    KernelRig rig(4, 2);
    rig.place({0, 0}, Processor::Riscv0, multicast_on_noc1_with_swapped_corners);

    rig.run();

    EXPECT_EQ(rig.word({2, 1}, kScratch + 64), kMarker);
}

void increment_everywhere() {
    noc_semaphore_inc_multicast(rectangle(semaphore_at(3)), 5, 5);
    noc_async_atomic_barrier();
}

TEST(Multicast, IncrementsTheWordOfEveryReceiver) {
    KernelRig rig(4, 2);
    rig.set_word({2, 1}, semaphore_at(3), 1);
    rig.place({0, 0}, Processor::Riscv0, increment_everywhere);

    rig.run();

    EXPECT_EQ(rig.word({2, 1}, semaphore_at(3)), 6U);
    EXPECT_EQ(rig.word({0, 0}, semaphore_at(3)), 0U);
}

}  // namespace
}  // namespace tessera
