// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/override.hpp"

#include <gtest/gtest.h>

#include "runtime/config/read.hpp"

namespace tessera::config {
namespace {

TEST(ParseSet, SplitsAtTheFirstEquals) {
    const Override override = parse_set("a.b=c=d");

    EXPECT_EQ(override.path, "a.b");
    EXPECT_EQ(override.value, "c=d");
    EXPECT_EQ(override.origin, "--set a.b=c=d");
}

TEST(Apply, ReplacesAValueAndLeavesItsNeighbours) {
    Node root = read_text("a: {b: 1, c: 2}", "f.yaml");

    apply(parse_set("a.b=3"), root);

    EXPECT_EQ(root.find("a")->find("b")->text, "3");
    EXPECT_EQ(root.find("a")->find("c")->text, "2");
}

TEST(Apply, AddsTheMapsOnItsWay) {
    Node root = read_text("a: 1", "f.yaml");

    apply(parse_set("x.y.z=5"), root);

    EXPECT_EQ(root.find("x")->find("y")->find("z")->text, "5");
}

TEST(Apply, LetsTheLastOfTwoWin) {
    Node root = read_text("a: 1", "f.yaml");

    apply(parse_set("a=2"), root);
    apply(parse_set("a=3"), root);

    EXPECT_EQ(root.find("a")->text, "3");
}

TEST(Overlay, MergesMapsAndReplacesTheRest) {
    Node base = read_text("{a: {b: 1, c: [1, 2]}, d: 4}", "base");

    overlay(base, read_text("{a: {c: [3]}, e: 5}", "top"));

    EXPECT_EQ(base.find("a")->find("b")->text, "1");
    EXPECT_EQ(base.find("a")->find("c")->elements.size(), 1U);
    EXPECT_EQ(base.find("d")->text, "4");
    EXPECT_EQ(base.find("e")->text, "5");
}

TEST(Take, RemovesTheEntry) {
    Node map = read_text("{a: 1, b: 2}", "f.yaml");

    EXPECT_EQ(take(map, "a").text, "1");
    EXPECT_EQ(map.find("a"), nullptr);
    EXPECT_EQ(take(map, "a").kind, NodeKind::Null);
}

}  // namespace
}  // namespace tessera::config
