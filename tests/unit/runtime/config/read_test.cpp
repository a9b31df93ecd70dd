// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/read.hpp"

#include <gtest/gtest.h>

#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

TEST(Read, KeepsThePlaceOfKeysAndValues) {
    const Node root = read_text("a:\n  b: 1\n  c: [2, 3]\n", "f.yaml");

    const Entry& a = root.entries.at(0);
    EXPECT_EQ(to_string(a.origin), "f.yaml:1:1");
    const Entry& c = a.value.entries.at(1);
    EXPECT_EQ(c.key, "c");
    EXPECT_EQ(to_string(c.origin), "f.yaml:3:3");
    EXPECT_EQ(to_string(c.value.elements.at(1).origin), "f.yaml:3:10");
}

TEST(Read, TellsQuotedTextFromPlain) {
    const Node root = read_text("[1, '1', \"1\"]", "f.yaml");

    EXPECT_EQ(root.elements.at(0).style, ScalarStyle::Plain);
    EXPECT_EQ(root.elements.at(1).style, ScalarStyle::Quoted);
    EXPECT_EQ(root.elements.at(2).style, ScalarStyle::Quoted);
}

TEST(Read, GivesNullForAnEmptyDocument) {
    EXPECT_EQ(read_text("", "f.yaml").kind, NodeKind::Null);
    EXPECT_EQ(read_text("# words\n", "f.yaml").kind, NodeKind::Null);
}

TEST(Read, GivesAnOverrideOneOriginThroughout) {
    const Origin origin{OriginKind::Override, "--set a=[1]", 0, 0};

    const Node list = read_text_at("[1]", origin);

    EXPECT_EQ(to_string(list.elements.at(0).origin), "--set a=[1]");
}

// yaml-cpp reads forever after it.
TEST(Read, RefusesAZeroBehindAScalar) {
    try {
        (void)read_text(std::string("a: 1\nb: 2\0", 10), "a.yaml");
        FAIL() << "nothing thrown";
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(),
                     "a.yaml:2:5: control character 0x00; allowed: text, tabs and ends of lines");
    }
}

// yaml-cpp finds empty documents forever after it.
TEST(Read, RefusesAValueBehindAList) {
    try {
        (void)read_text("[2, 2],1", "a.yaml");
        FAIL() << "nothing thrown";
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(), "a.yaml:1:7: a second document is not allowed");
    }
}

TEST(Read, RefusesAFileThatIsNotThere) {
    try {
        (void)read_file("/nowhere/run.yaml");
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "/nowhere/run.yaml: cannot open: No such file or directory");
    }
}

TEST(Read, RefusesAFolder) {
    EXPECT_THROW((void)read_file("/tmp"), UsageError);
}

}  // namespace
}  // namespace tessera::config
