// SPDX-License-Identifier: Apache-2.0
// State that a compute kernel must not leave to the next kernel.
#include <gtest/gtest.h>

#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/launch/kernel_error_of.hpp"

namespace tessera {
namespace {

std::string end_of(const char* source, const ComputeConfig& config = {}) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), SessionOptions{.threads = 1});
    Program program;
    CreateKernelFromString(program, source, CoreCoord{0, 0}, config, "sections.cpp");
    return kernel_error_of(session, program);
}

TEST(DstAtTheEndOfAKernel, MustHaveBeenReleased) {
    EXPECT_EQ(end_of(R"(void kernel_main() {
    tile_regs_acquire();
    tile_regs_commit();
    tile_regs_wait();
})"),
              "UndefinedBehavior: device 0 core (0,0) compute sections.cpp:3: the kernel ends with "
              "DST committed and not released: tile_regs_release is missing");
}

TEST(DstAtTheEndOfAKernel, NamesTheFirstCommitThatWasNotReleased) {
    EXPECT_EQ(end_of(R"(void kernel_main() {
    tile_regs_acquire();
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
    tile_regs_acquire();
    tile_regs_commit();
    tile_regs_acquire();
    tile_regs_commit();
})"),
              "UndefinedBehavior: device 0 core (0,0) compute sections.cpp:7: the kernel ends with "
              "DST committed and not released: tile_regs_release is missing");
}

TEST(DstAtTheEndOfAKernel, MayBeAcquiredForTheChipCountsCommitsAlone) {
    EXPECT_EQ(end_of("void kernel_main() { tile_regs_acquire(); }"), "no KernelError");
    EXPECT_EQ(end_of("void kernel_main() { tile_regs_acquire(); }", {.dst_full_sync_en = true}),
              "no KernelError");
}

}  // namespace
}  // namespace tessera
