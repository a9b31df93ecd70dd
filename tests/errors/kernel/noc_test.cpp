// SPDX-License-Identifier: Apache-2.0
// One mistake with NoC transfers per test, with the whole message.
#include "tessera/kernel/dataflow/noc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tessera/kernel/dataflow/multicast.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/compute_core.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;

struct Case {
    const char* name;
    void (*kernel)();
    const char* message;
};

constexpr std::uint64_t neighbour(std::uint32_t address) {
    return get_noc_addr(19, 18, address);
}

void read_from_nowhere() {
    noc_async_read(get_noc_addr(40, 40, 0), kScratch, 16);
}
void read_beyond_remote_l1() {
    noc_async_read(neighbour(1499136 - 16), kScratch, 32);
}
void read_beyond_own_l1() {
    noc_async_read(neighbour(kScratch), 1499136 - 16, 32);
}
void read_beyond_bank() {
    noc_async_read(get_noc_addr_from_bank_id<true>(2, (1U << 30U) - 32), kScratch, 64);
}
void read_from_missing_bank() {
    noc_async_read(get_noc_addr_from_bank_id<true>(12, 0), kScratch, 32);
}
void read_l1_misaligned() {
    noc_async_read(neighbour(kScratch + 4), kScratch, 16);
}
void read_dram_misaligned() {
    noc_async_read(get_noc_addr_from_bank_id<true>(0, 16), kScratch, 32);
}
void write_dram_misaligned() {
    noc_async_write(kScratch + 8, get_noc_addr_from_bank_id<true>(0, 32), 32);
}
void read_more_than_a_packet() {
    noc_async_read_one_packet(neighbour(kScratch), kScratch, 8193);
}
void read_with_state_never_set() {
    noc_async_read_one_packet_with_state(kScratch, kScratch);
}
void read_with_state_overwritten() {
    noc_async_read_one_packet_set_state(neighbour(0), 16);
    noc_async_read(neighbour(kScratch), kScratch, 16);
    noc_async_read_barrier();
    noc_async_read_one_packet_with_state(kScratch, kScratch);
}
void transaction_id_too_large() {
    noc_async_read_set_trid(16);
}
void end_without_read_barrier() {
    noc_async_read(neighbour(kScratch), kScratch, 16);
}
void end_without_write_flush() {
    noc_async_write(kScratch, neighbour(kScratch), 16);
}

void write_before_the_read_barrier() {
    noc_async_read(neighbour(kScratch), kScratch, 64);
    noc_async_write(kScratch + 32, neighbour(kScratch + 4096), 64);
}
void write_after_the_other_nocs_read_barrier() {
    noc_async_read(neighbour(kScratch), kScratch, 64, 1);
    noc_async_read_barrier(0);
    noc_async_write(kScratch, neighbour(kScratch + 4096), 64, 0);
}
void transfers_side_by_side() {
    noc_async_read(neighbour(kScratch), kScratch, 64);
    noc_async_write(kScratch + 64, neighbour(kScratch + 4096), 64);
    noc_async_read(neighbour(kScratch), kScratch + 128, 64);
    noc_async_full_barrier();
    noc_async_write(kScratch, neighbour(kScratch + 4096), 64);
    noc_async_full_barrier();
}
void end_without_atomic_barrier() {
    noc_semaphore_inc(neighbour(kScratch), 1);
}
void end_with_barrier_on_the_other_noc() {
    noc_semaphore_inc(neighbour(kScratch), 1, 0);
    noc_async_atomic_barrier(1);
}

class NocErrors : public ::testing::TestWithParam<Case> {};

TEST_P(NocErrors, NameTheCallTheAddressAndWhatIsAllowed) {
    KernelRig rig;

    const std::string fault = rig.fault_of(GetParam().kernel);
    EXPECT_EQ(std::regex_replace(fault, std::regex("[^ ]*noc_test\\.cpp:[0-9]+"), "@"),
              GetParam().message);
}

TEST(NocTransfers, OfOtherBytesMayBeInFlightTogether) {
    KernelRig rig;

    EXPECT_EQ(rig.fault_of(transfers_side_by_side), "no error");
}

// The chip's compute cores have no NoC, and the vendor's headers do not compile there.
class ComputeKernelWithoutNoc : public ::testing::TestWithParam<Case> {};

TEST_P(ComputeKernelWithoutNoc, MovesNoBytes) {
    const testing::ComputeCore core;

    EXPECT_EQ(testing::fault_of(GetParam().kernel), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, ComputeKernelWithoutNoc,
    ::testing::Values(
        Case{"Read", [] { noc_async_read(neighbour(kScratch), kScratch, 64); },
             "Unsupported: noc_async_read in a compute kernel, which has no NoC"},
        Case{"Write", [] { noc_async_write(kScratch, neighbour(kScratch), 64); },
             "Unsupported: noc_async_write in a compute kernel, which has no NoC"},
        Case{"Barrier", [] { noc_async_read_barrier(); },
             "Unsupported: a barrier or flush of the NoC in a compute kernel, which has no NoC"},
        Case{"Increment", [] { noc_semaphore_inc(neighbour(kScratch), 1); },
             "Unsupported: noc_semaphore_inc in a compute kernel, which has no NoC"},
        Case{"Multicast",
             [] {
                 noc_async_write_multicast(kScratch,
                                           get_noc_multicast_addr(18, 18, 19, 18, kScratch), 64, 1);
             },
             "Unsupported: noc_async_write_multicast in a compute kernel, which has no NoC"}),
    [](const auto& of_case) { return of_case.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Mistakes, NocErrors,
    ::testing::Values(
        Case{"NobodyThere", read_from_nowhere,
             "OutOfBounds: noc_async_read: neither a worker core nor a DRAM bank answers at NoC "
             "coordinate (40,40) of device 0"},
        Case{"BeyondRemoteL1", read_beyond_remote_l1,
             "OutOfBounds: noc_async_read: 32 bytes at 0x16dff0 leave the L1 of core (1,0), which "
             "has 1499136 bytes"},
        Case{"BeyondOwnL1", read_beyond_own_l1,
             "OutOfBounds: noc_async_read: 32 bytes at local address 0x16dff0 leave the L1, which "
             "has 1499136 bytes"},
        Case{"BeyondBank", read_beyond_bank,
             "OutOfBounds: noc_async_read: 64 bytes at 0x3fffffe0 lie in no DRAM bank behind this "
             "NoC node (banks from 2, 1073741824 bytes each)"},
        Case{"MissingBank", read_from_missing_bank, "OutOfBounds: DRAM bank 12 is not below 12"},
        Case{"MisalignedL1", read_l1_misaligned,
             "UndefinedBehavior: noc_async_read: remote address 0x40004 and local address 0x40000 "
             "differ modulo 16, the alignment of this transfer"},
        Case{"MisalignedDramRead", read_dram_misaligned,
             "UndefinedBehavior: noc_async_read: remote address 0x10 and local address 0x40000 "
             "differ modulo 32, the alignment of this transfer"},
        Case{"MisalignedDramWrite", write_dram_misaligned,
             "UndefinedBehavior: noc_async_write: remote address 0x20 and local address 0x40008 "
             "differ modulo 16, the alignment of this transfer"},
        Case{"MoreThanAPacket", read_more_than_a_packet,
             "UndefinedBehavior: noc_async_read: 8193 bytes exceed one packet, which holds 8192"},
        Case{"StateNeverSet", read_with_state_never_set,
             "UndefinedBehavior: noc_async_read_one_packet_with_state without its set_state: none "
             "was given on this NoC, or another transfer of the same kind has overwritten it"},
        Case{"StateOverwritten", read_with_state_overwritten,
             "UndefinedBehavior: noc_async_read_one_packet_with_state without its set_state: none "
             "was given on this NoC, or another transfer of the same kind has overwritten it"},
        Case{"TransactionId", transaction_id_too_large,
             "OutOfBounds: transaction id 16 is not below 16"},
        Case{"EndWithoutReadBarrier", end_without_read_barrier,
             "UndefinedBehavior: the kernel ends with this noc_async_read still in flight: "
             "noc_async_read_barrier is missing"},
        Case{"EndWithoutWriteFlush", end_without_write_flush,
             "UndefinedBehavior: the kernel ends with this noc_async_write still in flight: "
             "noc_async_writes_flushed or noc_async_write_barrier is missing"},
        Case{"WriteBeforeTheReadBarrier", write_before_the_read_barrier,
             "UndefinedBehavior: noc_async_write sends bytes that a noc_async_read issued at "
             "@ is still filling: noc_async_read_barrier is missing"},
        Case{"WriteAfterTheOtherNocsReadBarrier", write_after_the_other_nocs_read_barrier,
             "UndefinedBehavior: noc_async_write sends bytes that a noc_async_read issued at "
             "@ is still filling: noc_async_read_barrier is missing"},
        Case{"EndWithoutAtomicBarrier", end_without_atomic_barrier,
             "UndefinedBehavior: the kernel ends with this atomic still in flight: "
             "noc_async_atomic_barrier is missing"},
        Case{"EndWithBarrierOnTheOtherNoc", end_with_barrier_on_the_other_noc,
             "UndefinedBehavior: the kernel ends with this atomic still in flight: "
             "noc_async_atomic_barrier is missing"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tessera
