// SPDX-License-Identifier: Apache-2.0
// No source is longer than what one subject needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/architecture/source_files.hpp"

namespace tessera {
namespace {

constexpr std::ptrdiff_t kMaxLines = 400;

std::ptrdiff_t num_lines(const std::string& text) {
    return std::ranges::count(text, '\n');
}

TEST(FileSizes, NoSourceHasMoreThan400Lines) {
    const auto files = source_files({"include", "emu", "ops", "runtime", "tests", "bench"});
    ASSERT_GT(files.size(), 100U);

    for (const std::string& file : files) {
        EXPECT_LE(num_lines(text_of(file)), kMaxLines) << file;
    }
}

TEST(FileSizes, CountsLines) {
    EXPECT_EQ(num_lines("one\ntwo\n"), 2);
    EXPECT_EQ(num_lines(""), 0);
}

}  // namespace
}  // namespace tessera
