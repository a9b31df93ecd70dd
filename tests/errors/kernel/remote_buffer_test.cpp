// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/remote_circular_buffer.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;

void ask_for_an_end() {
    (void)get_remote_receiver_cb_interface(31);
}

TEST(RemoteBufferErrors, ACoreWithoutAnEnd) {
    EXPECT_EQ(KernelRig().fault_of(ask_for_an_end),
              "UndefinedBehavior: cb 31 is not a remote circular buffer of this core; allowed: a "
              "remote_index that the host program gives this core with CreateCircularBuffer");
}

}  // namespace
}  // namespace tessera
