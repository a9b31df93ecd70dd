// SPDX-License-Identifier: Apache-2.0
// Trace events of data movement calls in their thread.
#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/address_generator.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tessera/kernel/dataflow/multicast.hpp"
#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/profiler.hpp"
#include "tests/kernel_rig.hpp"
#include "tests/trace_events.hpp"

namespace tessera {
namespace {

using testing::event;
using testing::events_of;
using testing::KernelRig;
using testing::kScratch;
using testing::own_word;
using testing::semaphore_at;
using Events = std::vector<TraceEvent>;

// Core (x, y) has NoC coordinate (18 + x, 18 + y); DRAM bank 3 is at (5, 1).
std::uint64_t at_core(std::uint32_t x, std::uint32_t y, std::uint32_t address) {
    return get_noc_addr(18 + x, 18 + y, address);
}
constexpr std::uint64_t bytes_at(std::uint32_t bytes, NocPlace place, std::uint8_t id = 0) {
    return TransferArgument{bytes, place, id}.pack();
}
constexpr std::uint64_t word_at(std::uint32_t address, NocPlace place) {
    return WordArgument{address, place, 0}.pack();
}
constexpr NocPlace kCore10 = NocPlace::worker({1, 0});

// Events of a kernel on core (0,0) of a 2×2 grid with CB 0 of four pages of 32 bytes.
Events events_of_kernel(void (*entry)()) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    KernelThread& thread = rig.place({0, 0}, Processor::Riscv0, entry);
    testing::start_recording(thread);
    rig.run();
    return events_of(thread);
}

TEST(DataflowEvents, CircularBufferCallsHoldTheirPages) {
    const Events events = events_of_kernel([] {
        cb_reserve_back(0, 2);
        cb_push_back(0, 2);
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    });

    const Events expected{event(EventKind::CbReserve, 0, 1, 2), event(EventKind::CbPush, 0, 1, 2),
                          event(EventKind::CbWait, 0, 1, 1), event(EventKind::CbPop, 0, 1, 1)};
    EXPECT_EQ(events, expected);
}

TEST(DataflowEvents, AQuestionIsRecordedAsTheWaitThatItsYesEnds) {
    const Events events = events_of_kernel([] {
        static_cast<void>(cb_pages_available_at_front(0, 1));  // no
        static_cast<void>(cb_pages_reservable_at_back(0, 4));  // yes
        static_cast<void>(cb_pages_reservable_at_back(0, 5));  // no
    });

    EXPECT_EQ(events, Events{event(EventKind::CbReserve, 0, 1, 4)});
}

TEST(DataflowEvents, AWaitThatBlocksIsRecordedOnce) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    KernelThread& thread = rig.place({0, 0}, Processor::Riscv1, [] { cb_wait_front(0, 2); });
    testing::start_recording(thread);
    rig.place({0, 0}, Processor::Riscv0, [] {
        for (int i = 0; i < 2; ++i) {
            cb_reserve_back(0, 1);
            cb_push_back(0, 1);
        }
    });
    rig.run();

    EXPECT_EQ(events_of(thread), Events{event(EventKind::CbWait, 0, 1, 2)});
}

TEST(DataflowEvents, TransfersNameTheirPlaceAndMerge) {
    const Events events = events_of_kernel([] {
        for (int i = 0; i < 3; ++i) {
            noc_async_read(get_noc_addr(5, 1, 1024), kScratch, 64, 0);
        }
        noc_async_read(at_core(0, 0, kScratch), kScratch + 64, 0, 1);
        noc_async_read_barrier(0);
        noc_async_read_barrier(1);
        noc_async_write(kScratch, at_core(1, 0, kScratch), 32, 1);
        noc_async_write<NOC_MAX_BURST_SIZE, true, true>(kScratch, at_core(1, 0, kScratch), 32, 0);
        noc_async_write_one_packet(kScratch, at_core(1, 0, kScratch), 32, 0);
        noc_async_writes_flushed(0);
        noc_async_full_barrier(1);
        noc_async_write_barrier(0);
    });

    const Events expected{
        event(EventKind::NocRead, 0, 3, bytes_at(64, NocPlace::dram(3))),
        event(EventKind::NocRead, 1, 1, bytes_at(0, NocPlace::worker({0, 0}))),
        event(EventKind::ReadBarrier, 0, 1, 0),
        event(EventKind::ReadBarrier, 1, 1, 0),
        event(EventKind::NocWrite, 1, 1, bytes_at(32, kCore10)),
        event(EventKind::NocWrite, TransferDetail::kPosted, 1, bytes_at(32, kCore10)),
        event(EventKind::NocWrite, TransferDetail::kOnePacket, 1, bytes_at(32, kCore10)),
        event(EventKind::WriteFlush, 0, 1, 0),
        event(EventKind::WriteBarrier, 1, 1, 0),
        event(EventKind::ReadBarrier, 1, 1, 0),
        event(EventKind::AtomicBarrier, 1, 1, 0),
        event(EventKind::WriteBarrier, 0, 1, 0)};
    EXPECT_EQ(events, expected);
}

TEST(DataflowEvents, TransfersOfPagesAreMarked) {
    // Page 17 of 12 banks is in bank 5.
    const Events events = events_of_kernel([] {
        const InterleavedAddrGen<true> pages{.bank_base_address = 1024, .page_size = 64};
        noc_async_read_page(17, pages, kScratch, 0, 0);
        noc_async_read(get_noc_addr(5, 1, 1024), kScratch, 64, 0);
        const std::uint64_t page = get_noc_addr(17, pages, 0, 1);
        noc_async_write(kScratch + 64, page, 64, 1);
        noc_async_write(kScratch + 64, page, 64, 1);
        noc_async_full_barrier(0);
        noc_async_write_barrier(1);
    });

    constexpr std::uint8_t kNoc1 = TransferDetail::kNoc;
    constexpr std::uint8_t kPage = TransferDetail::kPage;
    ASSERT_GE(events.size(), 4U);
    EXPECT_EQ(events[0], event(EventKind::NocRead, kPage, 1, bytes_at(64, NocPlace::dram(5))));
    EXPECT_EQ(events[1], event(EventKind::NocRead, 0, 1, bytes_at(64, NocPlace::dram(3))));
    EXPECT_EQ(events[2],
              event(EventKind::NocWrite, kPage | kNoc1, 1, bytes_at(64, NocPlace::dram(5))));
    EXPECT_EQ(events[3], event(EventKind::NocWrite, kNoc1, 1, bytes_at(64, NocPlace::dram(5))));
}

TEST(DataflowEvents, LatchedTransfersAndTransactionIdsAreMarked) {
    const Events events = events_of_kernel([] {
        noc_async_read_one_packet_set_state(at_core(1, 0, 0), 64, 0);
        noc_async_read_set_trid(5, 0);
        noc_async_read_one_packet_with_state(kScratch, kScratch, 0);
        noc_async_read_barrier_with_trid(5, 0);
        ncrisc_noc_set_transaction_id(0, read_cmd_buf, 6);
        noc_async_read_one_packet_with_state(kScratch, kScratch, 0);
        noc_async_read_barrier_with_trid(6, 0);
        noc_async_read_set_trid(0, 0);
    });

    constexpr unsigned kMarks =
        TransferDetail::kWithState | TransferDetail::kOnePacket | TransferDetail::kHasId;
    const Events expected{event(EventKind::NocSetState, TransferDetail::kOnePacket, 1, 0),
                          event(EventKind::NocRead, kMarks, 1, bytes_at(64, kCore10, 5)),
                          event(EventKind::ReadBarrier, BarrierDetail::kHasId | 5U << 2U, 1, 0),
                          event(EventKind::NocRead, kMarks, 1, bytes_at(64, kCore10, 6)),
                          event(EventKind::ReadBarrier, BarrierDetail::kHasId | 6U << 2U, 1, 0)};
    EXPECT_EQ(events, expected);
}

TEST(DataflowEvents, WordsHoldTheirValues) {
    const Events events = events_of_kernel([] {
        noc_semaphore_inc(at_core(1, 0, semaphore_at(2)), 7, 1);
        noc_semaphore_inc<true>(at_core(1, 0, semaphore_at(2)), 7, 1);
        noc_inline_dw_write(at_core(1, 0, kScratch), 99, 0xF, 0);
        noc_semaphore_set(own_word(semaphore_at(0)), 3);
        noc_semaphore_set_remote(semaphore_at(0), at_core(1, 0, semaphore_at(0)), 0);
        noc_inline_dw_write(get_noc_addr(5, 1, 64), 98, 0xF, 0);
        noc_async_atomic_barrier(1);
    });

    const Events expected{event(EventKind::SemaphoreAdd, 1, 7, word_at(semaphore_at(2), kCore10)),
                          event(EventKind::SemaphoreAdd, 1 | TransferDetail::kPosted, 7,
                                word_at(semaphore_at(2), kCore10)),
                          event(EventKind::WordWrite, 0, 99, word_at(kScratch, kCore10)),
                          event(EventKind::LocalWord, 0, 3, semaphore_at(0)),
                          event(EventKind::WordWrite, 0, 3, word_at(semaphore_at(0), kCore10)),
                          event(EventKind::WordWrite, 0, 98, word_at(0, NocPlace::dram(3))),
                          event(EventKind::AtomicBarrier, 1, 1, 0)};
    EXPECT_EQ(events, expected);
}

TEST(DataflowEvents, WritesThatBringAFlagAreWords) {
    const Events events = events_of_kernel([] {
        *own_word(kScratch) = 41;
        noc_async_write(kScratch, at_core(1, 0, semaphore_at(1)), 16, 0);
        noc_async_write(kScratch, at_core(1, 0, kScratch), 4, 0);
        noc_async_write(kScratch, at_core(1, 0, kScratch), 16, 0);
        noc_async_write(kScratch, at_core(1, 0, semaphore_at(1)), 32, 0);
        noc_async_write_barrier(0);
    });

    const Events expected{event(EventKind::WordWrite, 0, 41, word_at(semaphore_at(1), kCore10)),
                          event(EventKind::WordWrite, 0, 41, word_at(kScratch, kCore10)),
                          event(EventKind::NocWrite, 0, 1, bytes_at(16, kCore10)),
                          event(EventKind::NocWrite, 0, 1, bytes_at(32, kCore10)),
                          event(EventKind::WriteBarrier, 0, 1, 0)};
    EXPECT_EQ(events, expected);
}

TEST(DataflowEvents, MulticastsHoldTheLogicalRectangle) {
    const Events events = events_of_kernel([] {
        *own_word(semaphore_at(0)) = 1;
        const std::uint64_t data = get_noc_multicast_addr(18, 18, 19, 19, kScratch);
        const std::uint64_t flag = get_noc_multicast_addr(18, 18, 19, 19, semaphore_at(0));
        noc_async_write_multicast(kScratch, data, 64, 3, true, 0);
        noc_async_write_multicast_loopback_src(kScratch, data, 64, 4, false, 0);
        noc_semaphore_set_multicast(semaphore_at(0), flag, 3, false, 0);
        noc_semaphore_inc_multicast(flag, 2, 3, 0);
        noc_async_write_barrier(0);
        noc_async_atomic_barrier(0);
    });

    const auto rectangle = [](std::uint32_t address) {
        return MulticastArgument{{0, 0}, {1, 1}, address}.pack();
    };
    const Events expected{
        event(EventKind::NocMulticast, TransferDetail::kLinked, 64, rectangle(0)),
        event(EventKind::NocMulticast, TransferDetail::kLoopback, 64, rectangle(0)),
        event(EventKind::MulticastWord, 0, 1, rectangle(semaphore_at(0))),
        event(EventKind::MulticastAdd, 0, 2, rectangle(semaphore_at(0))),
        event(EventKind::WriteBarrier, 0, 1, 0),
        event(EventKind::AtomicBarrier, 0, 1, 0)};
    EXPECT_EQ(events, expected);
}

TEST(DataflowEvents, SemaphoreWaitsHoldWhatTheyTest) {
    const Events events = events_of_kernel([] {
        noc_semaphore_set(own_word(semaphore_at(0)), 3);
        noc_semaphore_wait(own_word(semaphore_at(0)), 3);
        noc_semaphore_wait_min(own_word(semaphore_at(0)), 2);
    });

    const auto wait = [](WaitTest test, std::uint32_t value) {
        return event(EventKind::SemaphoreWait, static_cast<unsigned>(test), value, semaphore_at(0));
    };
    const Events expected{event(EventKind::LocalWord, 0, 3, semaphore_at(0)),
                          wait(WaitTest::Equal, 3), wait(WaitTest::AtLeast, 2)};
    EXPECT_EQ(events, expected);
}

constexpr const char* kOuter = "outer";
constexpr const char* kInner = "inner";

// Argument of a name before the trace is collected.
std::uint64_t name_argument(const char* name) {
    return reinterpret_cast<std::uint64_t>(name);
}

TEST(DataflowEvents, ZonesEndWithTheirScope) {
    const Events events = events_of_kernel([] {
        DeviceZoneScopedN(kOuter);
        {
            DeviceZoneScopedN(kInner);
            cb_reserve_back(0, 1);
        }
        cb_push_back(0, 1);
    });

    const Events expected{event(EventKind::ZoneBegin, 0, 1, name_argument(kOuter)),
                          event(EventKind::ZoneBegin, 0, 1, name_argument(kInner)),
                          event(EventKind::CbReserve, 0, 1, 1),
                          event(EventKind::ZoneEnd, 0, 1, name_argument(kInner)),
                          event(EventKind::CbPush, 0, 1, 1),
                          event(EventKind::ZoneEnd, 0, 1, name_argument(kOuter))};
    EXPECT_EQ(events, expected);
}

TEST(DataflowEvents, CarryTheLineOfTheCall) {
    KernelRig rig;
    rig.add_buffer(0, 4, 32);
    constexpr std::uint32_t kLine = __LINE__ + 2;
    KernelThread& thread = rig.place({0, 0}, Processor::Riscv0, [] {
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    });
    testing::start_recording(thread);
    rig.run();

    const auto& sites = thread.recorder->sites();
    ASSERT_EQ(sites.size(), 3U);
    EXPECT_EQ(sites[thread.recorder->events()[0].site].line, kLine);
    EXPECT_EQ(sites[thread.recorder->events()[1].site].line, kLine + 1);
    EXPECT_TRUE(std::string(sites[1].file).ends_with("dataflow_events_test.cpp"));
}

}  // namespace
}  // namespace tessera
