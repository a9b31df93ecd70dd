// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/field_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tessera::config {
namespace {

TEST(FieldTable, NamesEachKeyOnce) {
    std::set<std::string> paths;
    for (const FieldRow& row : flatten(run_fields())) {
        EXPECT_TRUE(paths.insert(row.path).second) << row.path;
    }
    EXPECT_TRUE(paths.contains("verify.min_pcc"));
}

TEST(FieldTable, SaysOfEachKeyWhatItMeans) {
    for (const FieldRow& row : flatten(run_fields())) {
        EXPECT_FALSE(row.prose.empty()) << row.path;
        EXPECT_FALSE(row.allowed.empty()) << row.path;
    }
    for (const FieldRow& row : flatten(arch_fields())) {
        EXPECT_FALSE(row.prose.empty()) << row.path;
        EXPECT_EQ(row.default_text, "required") << row.path << ": an arch file states all";
    }
}

TEST(FieldTable, RendersARowPerKeyWithBarsEscaped) {
    const std::vector<FieldRow> rows{{"a.b", "1 to 8", "4", "what |x| is"},
                                     {"c", "text", "required", "a name"}};

    EXPECT_EQ(to_markdown(rows),
              "| key | value | default | meaning |\n"
              "|---|---|---|---|\n"
              "| `a.b` | 1 to 8 | `4` | what \\|x\\| is |\n"
              "| `c` | text | required | a name |\n");
}

}  // namespace
}  // namespace tessera::config
