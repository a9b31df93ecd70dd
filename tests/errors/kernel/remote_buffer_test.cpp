// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "runtime/launch/place_remote_buffers.hpp"
#include "tessera/kernel/dataflow/remote_circular_buffer.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;

void ask_for_an_end() {
    (void)get_remote_receiver_cb_interface(31);
}

TEST(RemoteBufferErrors, ACoreWithoutAnEnd) {
    EXPECT_EQ(KernelRig().fault_of(ask_for_an_end),
              "UndefinedBehavior: cb 31 is no end of a remote circular buffer on this core: the "
              "program gives none with this remote_index");
}

TEST(RemoteBufferErrors, AnotherPageSizeThanTheLastLaunch) {
    KernelRig rig;
    rig.place({1, 0}, Processor::Riscv0, ask_for_an_end);
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
