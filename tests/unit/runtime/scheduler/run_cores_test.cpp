// SPDX-License-Identifier: Apache-2.0
// Kernels here are host functions that call the kernel API, which the scheduler runs like any
// other.
#include "runtime/scheduler/run_cores.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "runtime/scheduler/worker_pool.hpp"
#include "tessera/errors.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kNumPages = 1000;

volatile std::uint32_t* own_semaphore(std::uint32_t id) {
    KernelThread& thread = current_thread();
    return reinterpret_cast<std::uint32_t*>(thread.core().l1(get_semaphore(id)));
}

void produce() {
    for (std::uint32_t i = 0; i < kNumPages; ++i) {
        cb_reserve_back(0, 1);
        std::memcpy(current_thread().core().l1(get_write_ptr(0)), &i, 4);
        cb_push_back(0, 1);
    }
}

void sum_up() {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kNumPages; ++i) {
        cb_wait_front(0, 1);
        std::uint32_t value = 0;
        std::memcpy(&value, current_thread().core().l1(get_read_ptr(0)), 4);
        sum += value;
        cb_pop_front(0, 1);
    }
    noc_semaphore_set(own_semaphore(0), sum);
}

// Waits for the left neighbour, then increments the right neighbour's semaphore.
void pass_token() {
    KernelThread& thread = current_thread();
    const CoreCoord here = thread.core().logical();
    const std::uint32_t columns = thread.core().arch().workers.compute.columns;
    if (here.x != 0) {
        noc_semaphore_wait(own_semaphore(0), 1);
    }
    const CoreCoord right = {18 + (here.x + 1) % columns, 18 + here.y};
    noc_semaphore_inc(get_noc_addr(right.x, right.y, get_semaphore(0)), 1);
    if (here.x == 0) {
        noc_semaphore_wait(own_semaphore(0), 1);
    }
    noc_async_atomic_barrier();
}

void touch_beyond_l1() {
    volatile std::byte* beyond = current_thread().core().l1(0x00200000);
    *beyond = std::byte{1};
}

// Loads as an atomic, since another host thread may store the word meanwhile.
void poll_until_set() {
    while (__atomic_load_n(own_semaphore(0), __ATOMIC_ACQUIRE) != 7) {
        invalidate_l1_cache();
    }
}

void set_seven() {
    noc_semaphore_set(own_semaphore(0), 7);
}

// Sends 7 to the right neighbour's semaphore without a barrier, then polls its own.
void send_and_poll() {
    KernelThread& thread = current_thread();
    const std::uint32_t columns = thread.core().arch().workers.compute.columns;
    const CoreCoord here = thread.core().logical();
    const CoreCoord right = {18 + (here.x + 1) % columns, 18 + here.y};
    constexpr std::uint32_t kSource = 106496;
    const std::uint32_t value = 7;
    std::memcpy(thread.core().l1(kSource), &value, 4);
    noc_async_write(kSource, get_noc_addr(right.x, right.y, get_semaphore(0)), sizeof value);
    poll_until_set();
    noc_async_write_barrier();
}

void no_kernel() {
}

#ifdef __SANITIZE_THREAD__
constexpr bool kFollowsSignals = false;  // the sanitizer cannot follow the jump
#else
constexpr bool kFollowsSignals = true;
#endif

class RunCores : public ::testing::TestWithParam<std::uint32_t> {
protected:
    RunCores() { device_.has_semaphore.assign(1, true); }

    void place(Core& core, Processor processor, void (*entry)(), const char* name) {
        auto thread = std::make_unique<KernelThread>(core, processor);
        thread->entry = entry;
        thread->kernel = name;
        thread->activity.device = core.device().id();
        for (std::uint32_t index = 0; index < 2; ++index) {
            const std::uint32_t address = 110592 + index * 4096;
            core.circular_buffers[index] = {.address = address,
                                            .size = 32,
                                            .page_size = 16,
                                            .num_pages = 2,
                                            .format = DataFormat::UInt32};
            thread->cb[index] = {.fifo_size = 32,
                                 .fifo_limit = address + 32,
                                 .fifo_page_size = 16,
                                 .fifo_num_pages = 2,
                                 .fifo_rd_ptr = address,
                                 .fifo_wr_ptr = address};
        }
        core.threads[static_cast<std::size_t>(processor)] = std::move(thread);
    }

    void run(Device& device) {
        std::vector<Core*> cores;
        for (const auto& core : device.cores()) {
            cores.push_back(core.get());
        }
        run_cores(cores, pool_);
    }

    std::string error_of(Device& device) {
        try {
            run(device);
        } catch (const KernelError& error) {
            return error.what();
        }
        return "no error";
    }

    WorkerPool pool_{GetParam()};
    Device device_{testing::make_arch(4, 2), 0};
};

TEST_P(RunCores, PagesArriveInOrderThroughADeepeningPipeline) {
    for (const auto& core : device_.cores()) {
        place(*core, Processor::Riscv1, produce, "produce.cpp");
        place(*core, Processor::Riscv0, sum_up, "sum_up.cpp");
    }

    run(device_);

    for (const auto& core : device_.cores()) {
        std::uint32_t sum = 0;
        std::memcpy(&sum, core->l1(40960), 4);
        EXPECT_EQ(sum, kNumPages * (kNumPages - 1) / 2);
    }
}

TEST_P(RunCores, SemaphoresCrossCoresAndWorkers) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        for (const auto& core : device_.cores()) {
            core->reset();
            std::memset(core->l1(40960), 0, 4);
            place(*core, Processor::Riscv0, pass_token, "pass_token.cpp");
        }
        ASSERT_NO_THROW(run(device_));
    }
}

TEST_P(RunCores, ATouchBeyondL1IsAnErrorOfThatKernelAndOthersFinish) {
    if (!kFollowsSignals) {
        GTEST_SKIP();
    }
    place(device_.core({0, 0}), Processor::Riscv1, produce, "produce.cpp");
    place(device_.core({0, 0}), Processor::Riscv0, sum_up, "sum_up.cpp");
    place(device_.core({2, 1}), Processor::Riscv0, touch_beyond_l1, "touch.cpp");

    const std::string error = error_of(device_);

    EXPECT_EQ(error,
              "OutOfBounds: device 0 core (2,1) writer touch.cpp:0: the kernel touches address "
              "0x200000, but L1 ends at 0x16e000 (the line is unknown)");
    EXPECT_TRUE(device_.core({0, 0}).threads[0]->is_finished);
}

TEST_P(RunCores, TheFirstOfSeveralErrorsByDeviceAndCoreIsReported) {
    if (!kFollowsSignals) {
        GTEST_SKIP();
    }
    place(device_.core({3, 1}), Processor::Riscv0, touch_beyond_l1, "late.cpp");
    place(device_.core({3, 0}), Processor::Riscv0, touch_beyond_l1, "early.cpp");
    place(device_.core({0, 1}), Processor::Riscv0, touch_beyond_l1, "middle.cpp");

    EXPECT_NE(error_of(device_).find("early.cpp"), std::string::npos);
}

TEST_P(RunCores, APollingLoopSeesAStoreOfTheOtherThread) {
    place(device_.core({0, 0}), Processor::Riscv1, poll_until_set, "poll.cpp");
    place(device_.core({0, 0}), Processor::Riscv0, set_seven, "set.cpp");

    EXPECT_NO_THROW(run(device_));
}

TEST_P(RunCores, WritesInFlightArriveWhileTheirIssuersPollForThem) {
    for (const auto& core : device_.cores()) {
        place(*core, Processor::Riscv0, send_and_poll, "send_and_poll.cpp");
    }

    EXPECT_EQ(error_of(device_), "no error");
}

// At the limit of polling the run would take a year.
TEST_P(RunCores, WritesThatThreadsPollForArriveLongBeforeTheLimitOfPolling) {
    for (const auto& core : device_.cores()) {
        place(*core, Processor::Riscv0, send_and_poll, "send_and_poll.cpp");
        core->threads[0]->progress_limit = 1'000'000'000'000'000;
    }

    EXPECT_EQ(error_of(device_), "no error");
}

TEST_P(RunCores, APollingLoopThatNobodyEndsIsADeadlock) {
    place(device_.core({0, 0}), Processor::Riscv1, poll_until_set, "poll.cpp");

    EXPECT_NE(error_of(device_).find("waits for something that no remaining thread would provide"),
              std::string::npos);
}

TEST_P(RunCores, PollingLoopsOnSeveralCoresThatNobodyEndsAreADeadlock) {
    for (const CoreCoord core : {CoreCoord{0, 0}, CoreCoord{1, 0}, CoreCoord{3, 1}}) {
        place(device_.core(core), Processor::Riscv1, poll_until_set, "poll.cpp");
    }

    EXPECT_NE(error_of(device_).find("3 kernel threads are blocked"), std::string::npos);
}

TEST_P(RunCores, AThousandEmptyLaunchesEnd) {
    for (int i = 0; i < 1000; ++i) {
        for (const auto& core : device_.cores()) {
            core->reset();
            place(*core, Processor::Riscv0, no_kernel, "empty.cpp");
        }
        ASSERT_NO_THROW(run(device_));
    }
}

INSTANTIATE_TEST_SUITE_P(Workers, RunCores, ::testing::Values(1, 2, 5),
                         [](const auto& param) { return "On" + std::to_string(param.param); });

std::size_t heap_bytes() {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

TEST(RunCores, AThousandLaunchesLeaveTheHeapAsTenDo) {
    testing::KernelRig rig(8, 8, 1);
    const auto launch = [&](int times) {
        for (int i = 0; i < times; ++i) {
            for (const auto& core : rig.device.cores()) {
                rig.place(core->logical(), Processor::Compute, no_kernel);
            }
            rig.run();
        }
        return heap_bytes();
    };

    const std::size_t after_ten = launch(10);

    // Uses one host thread: others may join late and keep a scheduler each. A leak of one word per
    // kernel is 500 KiB.
    EXPECT_LE(launch(1000), after_ten + 65536);
}

void sleep_then_signal() {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const CoreCoord origin = current_thread().core().arch().workers.virtual_origin;
    noc_semaphore_inc(get_noc_addr(origin.x + 1, origin.y, testing::semaphore_at(0)), 1);
    noc_async_atomic_barrier();
}

void wait_for_signal() {
    noc_semaphore_wait(testing::own_word(testing::semaphore_at(0)), 1);
}

TEST(RunCores, WorkersWithNothingToRunDoNotSpin) {
    testing::KernelRig rig(2, 1, 4);
    rig.place({0, 0}, Processor::Riscv0, sleep_then_signal);
    rig.place({1, 0}, Processor::Riscv0, wait_for_signal);
    const std::clock_t start = std::clock();

    rig.run();

    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.1);
}

}  // namespace
}  // namespace tessera
