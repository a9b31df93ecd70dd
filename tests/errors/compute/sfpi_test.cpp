// SPDX-License-Identifier: Apache-2.0
// One mistake with sfpi vectors per test, with the whole message.
#include "tessera/kernel/compute/sfpi.hpp"

#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using sfpi::dst_reg;
using sfpi::vFloat;
using testing::ComputeCore;
using testing::fault_of;

/// An acquired DST of four tiles of 32 bits.
class Sfpi : public ::testing::Test {
protected:
    Sfpi() { tile_regs_acquire(); }
    ComputeCore core_;
};

TEST_F(Sfpi, IndexBelowDstIsNamedAsWritten) {
    EXPECT_EQ(fault_of([] { dst_reg[-1] = 1.0F; }),
              "OutOfBounds: dst_reg[-1] is outside of DST; allowed: 0 to 127 (4 tiles of 32 "
              "vectors)");
}

TEST_F(Sfpi, IndexBeyondDstIsNamedAsWritten) {
    EXPECT_EQ(fault_of([] { static_cast<void>(vFloat(dst_reg[128])); }),
              "OutOfBounds: dst_reg[128] is outside of DST; allowed: 0 to 127 (4 tiles of 32 "
              "vectors)");
}

TEST_F(Sfpi, AllowedIndicesCountFromTheVectorThatDstRegHasReached) {
    EXPECT_EQ(fault_of([] {
                  dst_reg++;
                  dst_reg++;
                  dst_reg[-2] = 1.0F;
                  dst_reg[-3] = 1.0F;
              }),
              "OutOfBounds: dst_reg[-3] is outside of DST; allowed: -2 to 125 (4 tiles of 32 "
              "vectors; dst_reg[0] is vector 2 here)");
}

TEST_F(Sfpi, FaultOfAnIndexIsAtItsLine) {
    std::uint32_t line = 0;
    try {
        const int index = -1;
        line = __LINE__ + 1;
        dst_reg[index] = dst_reg[0] + dst_reg[1];
        FAIL() << "no fault";
    } catch (const KernelFault& fault) {
        EXPECT_EQ(fault.site.line, line);
        EXPECT_STREQ(fault.site.file, __FILE__);
    }
    EXPECT_NE(line, 0U);
}

TEST_F(Sfpi, FunctionOfATileBeyondDstIsRefusedAtItsCall) {
    EXPECT_EQ(fault_of([] { kernel::begin_face(4, 0); }),
              "OutOfBounds: dst_reg: DST tile 4 of 4 (32-bit DST, half sync)");
}

}  // namespace
}  // namespace tessera
