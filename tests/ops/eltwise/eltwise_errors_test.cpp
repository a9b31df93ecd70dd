// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/eltwise/eltwise.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera::ops::eltwise {
namespace {

DeviceTensor tiles(DataFormat format = DataFormat::Float16_b) {
    const TensorSpec spec{{40, 80}, format, Layout::TILE};
    return {spec,
            {.page_size = spec.page_size(),
             .aligned_page_size = spec.page_size(),
             .num_pages = spec.num_pages()}};
}

/// A sum of two tensors. A test spoils one part.
struct Spoilable {
    DeviceTensor a = tiles();
    DeviceTensor b = tiles();
    std::uint32_t num_tensors = 2;
    DeviceTensor output = tiles();
    EltwiseSpec schedule;

    [[nodiscard]] std::string message() const {
        std::vector<DeviceTensor> inputs{a, b};
        inputs.resize(num_tensors);
        return usage_error_message(
            [&] { (void)call_program(op(), testing::small_arch(), &schedule, inputs, {output}); });
    }
};

TEST(EltwiseErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(EltwiseErrors, NamesAMissingInput) {
    Spoilable test;
    test.num_tensors = 1;
    EXPECT_EQ(test.message(), "eltwise: function add takes 2 tensors, not 1");
}

TEST(EltwiseErrors, NamesAnInputTooMany) {
    Spoilable test;
    test.schedule.function = EltwiseFunction::Exp;
    EXPECT_EQ(test.message(), "eltwise: function exp takes 1 tensors, not 2");
}

TEST(EltwiseErrors, NamesKeysThatAFunctionDoesNotTake) {
    Spoilable test;
    test.schedule.math_fidelity = MathFidelity::LoFi;
    EXPECT_EQ(
        test.message(),
        "eltwise: math_fidelity is LoFi, but add of bfloat16 does not use it; allowed: HiFi4, "
        "its default");
    test.schedule = {.function = EltwiseFunction::Max, .approximate = true};
    EXPECT_EQ(test.message(),
              "eltwise: approximate is true, but max of bfloat16 does not use it; allowed: false, "
              "its default");
    test.schedule = {.function = EltwiseFunction::Mul, .math_fidelity = MathFidelity::LoFi};
    EXPECT_EQ(test.message(), "(nothing thrown)");
}

TEST(EltwiseErrors, NamesAFormatItDoesNotTake) {
    Spoilable test;
    test.a.spec.format = DataFormat::UInt16;
    test.b.spec.format = DataFormat::UInt16;
    EXPECT_EQ(test.message(),
              "eltwise: a is (40,80) uint16 TILE; allowed: (40,80) bfloat16 | bfp8_b | float32 "
              "TILE");
}

TEST(EltwiseErrors, NamesFloat32WithA16BitDst) {
    Spoilable test;
    test.a = tiles(DataFormat::Float32);
    test.b = test.a;
    EXPECT_EQ(test.message(),
              "eltwise: fp32_dest_acc is false; allowed: true for float32, which needs a 32-bit "
              "DST");
}

TEST(EltwiseErrors, NamesAScheduleWithoutTilesOrDepth) {
    Spoilable no_tiles;
    no_tiles.schedule.tiles_per_push = 0;
    EXPECT_EQ(no_tiles.message(), "eltwise: tiles_per_push is 0; allowed: at least 1");
    Spoilable no_depth;
    no_depth.schedule.cb_depth = 0;
    EXPECT_EQ(no_depth.message(), "eltwise: cb_depth is 0; allowed: at least 1");
}

// Three buffers of n × 2 tiles of 2048 B; L1 has 1499136 − 103712 B, which is space for 113.
TEST(EltwiseErrors, NamesBuffersThatL1DoesNotHold) {
    Spoilable test;
    test.schedule.tiles_per_push = 113;
    EXPECT_EQ(test.message(), "(nothing thrown)");
    test.schedule.tiles_per_push = 114;
    EXPECT_EQ(test.message(),
              "eltwise: tiles_per_push 114 with cb_depth 2 takes 1400832 B of circular buffers; a "
              "core has 1395424 B of L1 for them");
}

TEST(EltwiseErrors, NamesAGridLargerThanTheDevices) {
    Spoilable test;
    test.schedule.grid = {3, 2};
    EXPECT_EQ(
        test.message(),
        "eltwise: grid [3, 2] is not part of the test_arch's grid; allowed: [0, 0], which is all "
        "of it, or [1, 1] to [2, 2]");
}

}  // namespace
}  // namespace tessera::ops::eltwise
