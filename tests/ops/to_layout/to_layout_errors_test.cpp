// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/to_layout/to_layout.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera::ops::to_layout {
namespace {

/// 5 rows of 7 elements to tiles. A test spoils one part.
struct Spoilable {
    DeviceTensor input{{{5, 7}, DataFormat::Float16_b, Layout::ROW_MAJOR},
                       {.page_size = 14, .aligned_page_size = 32, .num_pages = 5}};
    DeviceTensor output{{{5, 7}, DataFormat::Float16_b, Layout::TILE},
                        {.page_size = 2048, .aligned_page_size = 2048, .num_pages = 1}};
    CopySpec schedule{.grid = {}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message(
            [&] { (void)call_program(op(), testing::small_arch(), &schedule, {input}, {output}); });
    }
};

TEST(ToLayoutErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(ToLayoutErrors, NamesAFormatItDoesNotMove) {
    Spoilable test;
    test.input.spec.format = DataFormat::UInt8;
    test.output.spec.format = DataFormat::UInt8;
    EXPECT_EQ(test.message(),
              "to_layout: input is (5,7) uint8 ROW_MAJOR; allowed: (5,7) bfloat16 | float32 in any "
              "layout");
}

TEST(ToLayoutErrors, NamesAnOutputOfTheSameLayout) {
    Spoilable test;
    test.output.spec.layout = Layout::ROW_MAJOR;
    EXPECT_EQ(test.message(),
              "to_layout: output is (5,7) bfloat16 ROW_MAJOR; allowed: (5,7) bfloat16 TILE");
}

TEST(ToLayoutErrors, NamesBuffersWithoutDepth) {
    Spoilable test;
    test.schedule.cb_depth = 0;
    EXPECT_EQ(test.message(), "to_layout: cb_depth is 0; allowed: at least 1");
}

TEST(ToLayoutErrors, NamesADepthThatL1CannotHold) {
    Spoilable test;
    test.schedule.cb_depth = 1000;  // 2 buffers of 1000 tiles of 2048 B
    EXPECT_EQ(
        test.message(),
        "to_layout: cb_depth 1000 with blocks of one tile takes 4096000 B of circular buffers; "
        "a core has 697712 B of L1 for them");
}

}  // namespace
}  // namespace tessera::ops::to_layout
