// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/field_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "runtime/config/key_reference.hpp"

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

std::string page_of_docs(const char* name) {
    std::ostringstream page;
    page << std::ifstream(std::filesystem::path(TESSERA_SOURCE_DIR) / "docs" / name).rdbuf();
    return page.str();
}

TEST(KeyReference, IsThePageOfTheDocs) {
    EXPECT_EQ(page_of_docs("configuration.md"), key_reference())
        << "write it with: tessera list keys";
}

TEST(KeyReference, OfDevicesIsThePageOfTheDocs) {
    EXPECT_EQ(page_of_docs("device_keys.md"), device_key_reference())
        << "write it with: tessera list device-keys";
}

TEST(KeyReference, HasTheParametersOfEveryOp) {
    EXPECT_THAT(key_reference(), testing::HasSubstr("\n### moe_bmm\n"));
    EXPECT_THAT(key_reference(), testing::HasSubstr("\n| `k_block` | 1 to 1024 | `4` |"));
}

}  // namespace
}  // namespace tessera::config
