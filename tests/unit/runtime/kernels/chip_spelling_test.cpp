// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/chip_spelling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using ::testing::ElementsAre;

TEST(ChipSpelling, NarrowsIntegersWithTheSuffixOfLong) {
    EXPECT_EQ(host_spelling("0ul 7L 0x1FUL 1'000lu"), "0u 7 0x1FU 1'000u");
}

TEST(ChipSpelling, KeepsOtherIntegersNamesAndDecimals) {
    for (const char* text : {"0ull", "1LL", "4294967296ul", "x0ul", "1.0l", "0u", "a.b"}) {
        EXPECT_EQ(host_spelling(text), text);
    }
}

TEST(ChipSpelling, KeepsALoopThatIsNotUnrolled) {
    EXPECT_EQ(host_spelling("#pragma GCC unroll 0\n#  pragma GCC unroll 4\n"),
              "#pragma GCC unroll 1\n#  pragma GCC unroll 4\n");
}

TEST(ChipSpelling, FindsFilesByTheirErrors) {
    EXPECT_THAT(
        files_to_respell("In file included from k.cpp:1:\n"
                         "/x/a.hpp:3:20: error: invalid value '0'; must be positive\n"
                         "/x/a.hpp:9:20: error: invalid value '0'; must be positive\n"
                         "k.cpp:7:9: error: deduced as 'tuple<[...], unsigned long>' before\n"
                         "k.cpp:8:9: error: use of undeclared identifier 'x'\n"),
        ElementsAre("/x/a.hpp", "k.cpp"));
}

}  // namespace
}  // namespace tessera
