// SPDX-License-Identifier: Apache-2.0
#include "ops/registry.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

namespace tessera::ops {
namespace {

TEST(OpRegistry, FindsAnOpByItsName) {
    const OpSpec* op = find_op("to_layout");

    ASSERT_NE(op, nullptr);
    EXPECT_EQ(op->name, "to_layout");
}

TEST(OpRegistry, HasNoOpOfANameThatSortsBetweenItsRows) {
    EXPECT_EQ(find_op("to_layouts"), nullptr);
    EXPECT_EQ(find_op(""), nullptr);
}

TEST(OpRegistry, EveryRowNamesAFolderWithItsHeader) {
    for (const OpSpec& op : all_ops()) {
        const std::string name(op.name);
        const auto header =
            std::filesystem::path(TESSERA_SOURCE_DIR) / "ops" / name / (name + ".hpp");

        EXPECT_TRUE(std::filesystem::exists(header)) << header;
    }
}

TEST(OpRegistry, EveryRowSaysWhatItTakesAndGives) {
    for (const OpSpec& op : all_ops()) {
        EXPECT_FALSE(op.summary.empty()) << op.name;
        EXPECT_FALSE(op.schedules.empty()) << op.name;
        EXPECT_FALSE(op.inputs.empty()) << op.name;
        EXPECT_FALSE(op.outputs.empty()) << op.name;
    }
}

}  // namespace
}  // namespace tessera::ops
