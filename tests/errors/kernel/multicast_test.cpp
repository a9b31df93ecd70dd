// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/multicast.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;

void wrong_count() {
    noc_async_write_multicast(kScratch, get_noc_multicast_addr(18, 18, 19, 19, kScratch), 16, 4);
}
void no_receivers() {
    noc_async_write_multicast(kScratch, get_noc_multicast_addr(18, 18, 18, 18, kScratch), 16, 0);
}
void wrapped() {
    noc_async_write_multicast(kScratch, get_noc_multicast_addr(19, 19, 18, 18, kScratch), 16, 3);
}

void linked_to_none() {
    noc_async_write_multicast(kScratch, get_noc_multicast_addr(18, 18, 19, 19, kScratch), 16, 3,
                              true);
    noc_async_write_barrier();
}
void linked_to_one() {
    linked_to_none();
    noc_semaphore_set_multicast(kScratch, get_noc_multicast_addr(18, 18, 19, 19, kScratch), 3);
}
void linked_to_one_of_the_other_noc() {
    linked_to_none();
    noc_async_write_multicast(kScratch, get_noc_multicast_addr(19, 19, 18, 18, kScratch, 1), 16, 3,
                              false, 1);
    noc_async_write_barrier(1);
}

constexpr const char* kPathKept =
    "UndefinedBehavior: the kernel ends with the path of this linked multicast kept: one without "
    "linked has to follow on the same NoC";

TEST(MulticastErrors, ALinkedOneThatNoneFollowsIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(linked_to_none), kPathKept);
}

TEST(MulticastErrors, ALinkedOneMayBeFollowedByAFlag) {
    EXPECT_EQ(KernelRig().fault_of(linked_to_one), "no error");
}

TEST(MulticastErrors, ALinkedOneIsNotEndedByTheOtherNoc) {
    EXPECT_EQ(KernelRig().fault_of(linked_to_one_of_the_other_noc), kPathKept);
}

TEST(MulticastErrors, ACountThatIsNotTheNumberOfReceiversIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(wrong_count),
              "UndefinedBehavior: noc_async_write_multicast: num_dests is 4, but rectangle (18,18) "
              "to (19,19) holds 3 receivers (the sender is not one)");
}

TEST(MulticastErrors, AMulticastToNobodyIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(no_receivers),
              "UndefinedBehavior: noc_async_write_multicast: num_dests is 0, but rectangle (18,18) "
              "to (18,18) holds 0 receivers (the sender is not one)");
}

// Logical coordinates in place of virtual ones.
TEST(MulticastErrors, ARectangleWithoutWorkersIsRefused) {
    EXPECT_EQ(KernelRig().fault_of([] {
        noc_async_write_multicast(kScratch, get_noc_multicast_addr(0, 0, 1, 0, kScratch), 64, 2);
    }),
              "UndefinedBehavior: noc_async_write_multicast: num_dests is 2, but rectangle (0,0) "
              "to (1,0) holds 0 receivers; corners are virtual coordinates, as get_noc_addr takes "
              "them: (18,18) of logical core (0,0)");
}

TEST(MulticastErrors, ARectangleThatWrapsAroundIsRefused) {
    EXPECT_EQ(KernelRig().fault_of(wrapped),
              "Unsupported: noc_async_write_multicast: rectangle (19,19) to (18,18) on NoC 0 wraps "
              "around the torus; on NoC 0 start ≤ end, on NoC 1 start ≥ end");
}

}  // namespace
}  // namespace tessera
