// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/study/sweep_files.hpp"
#include "tests/unit/runtime/study/small_sweep.hpp"

namespace tessera::sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SweepPage, LoadsNothingFromElsewhere) {
    const std::string page = to_html(test::small_sweep());

    for (const char* foreign : {"src=", "https:", "@import", "url(", "fetch("}) {
        EXPECT_THAT(page, Not(HasSubstr(foreign)));
    }
}

TEST(SweepPage, EscapesWhatTheFileSays) {
    SweepResult result = test::small_sweep();
    result.name = "a<b";

    const std::string page = to_html(result);

    EXPECT_THAT(page, HasSubstr("<title>Tessera: a&lt;b</title>"));
    EXPECT_THAT(page, HasSubstr("Which K block is \\u003cbest>?"));
    EXPECT_THAT(page, Not(HasSubstr("<best>")));
}

}  // namespace
}  // namespace tessera::sweep
