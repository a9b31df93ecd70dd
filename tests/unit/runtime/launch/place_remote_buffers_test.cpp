// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/place_remote_buffers.hpp"

#include <gtest/gtest.h>

#include "tessera/kernel/remote_circular_buffer_interface.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;

void end_at_once() {
}

TEST(PlaceRemoteBuffers, RefusesAnotherPageSizeThanTheLastLaunch) {
    KernelRig rig;
    rig.place({1, 0}, Processor::Riscv0, end_at_once);
    const RemoteBufferWords words{.is_sender = 1,
                                  .num_receivers = 1,
                                  .fifo_start = 0x80000,
                                  .fifo_size = 4096,
                                  .fifo_pointer = 0x80000 + 1024,
                                  .coordinates = kScratch + 32,
                                  .pages_sent = kScratch + 64,
                                  .remote_pages = kScratch + 64};
    std::memcpy(rig.device.core({1, 0}).l1(kScratch), &words, sizeof(words));
    Program program;
    program.remote_buffers.push_back({.cores = CoreRangeSet({CoreRange({1, 0}, {1, 0})}),
                                      .index = 31,
                                      .config_address = kScratch,
                                      .page_size = 2048});

    std::string message;
    try {
        place_remote_buffers(program, rig.device);
    } catch (const UsageError& error) {
        message = error.what();
    }

    EXPECT_EQ(message,
              "core (1,0): remote circular buffer 31: the last launch ended 1024 B behind its "
              "start, which is not at a page of 2048 B; keep the page size between launches");
}

}  // namespace
}  // namespace tessera
