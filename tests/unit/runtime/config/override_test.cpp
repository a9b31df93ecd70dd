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

struct KindCase {
    const char* name;
    const char* base;
    const char* top;
    const char* laid;  ///< in flow style
};

class OverlayOfKinds : public testing::TestWithParam<KindCase> {};

TEST_P(OverlayOfKinds, ReplacesWhatIsOfAnotherKind) {
    Node base = read_text(GetParam().base, "base");

    overlay(base, read_text(GetParam().top, "top"));

    EXPECT_EQ(to_yaml(base), GetParam().laid);
}

INSTANTIATE_TEST_SUITE_P(
    Maps, OverlayOfKinds,
    testing::Values(
        KindCase{"FileOverRandom", "tensors: {x: {dtype: a, origin: {random: normal, stddev: 2}}}",
                 "tensors: {x: {origin: {file: f}}}",
                 "{tensors: {x: {dtype: a, origin: {file: f}}}}"},
        KindCase{"RandomOverFile", "tensors: {x: {origin: {file: f, tensor: t}}}",
                 "tensors: {x: {origin: {random: normal}}}",
                 "{tensors: {x: {origin: {random: normal}}}}"},
        KindCase{"OtherRandomKind", "tensors: {x: {origin: {random: normal, stddev: 2}}}",
                 "tensors: {x: {origin: {random: routing, experts: 8}}}",
                 "{tensors: {x: {origin: {random: routing, experts: 8}}}}"},
        KindCase{"SameKindIsMerged", "tensors: {x: {origin: {random: normal, stddev: 2}}}",
                 "tensors: {x: {origin: {stddev: 3, domain: positive}}}",
                 "{tensors: {x: {origin: {random: normal, stddev: 3, domain: positive}}}}"},
        KindCase{"SplitOverDistribution", "tensors: {x: {distribution: each, dtype: a}}",
                 "tensors: {x: {split: {axis: 1}}}",
                 "{tensors: {x: {dtype: a, split: {axis: 1}}}}"},
        KindCase{"DistributionOverSplit", "tensors: {x: {split: {axis: 1}}}",
                 "tensors: {x: {distribution: each}}", "{tensors: {x: {distribution: each}}}"},
        KindCase{"ProgramOverOp", "steps: {s: {op: scale, in: [x], set: {factor: 2}}}",
                 "steps: {s: {program: {kernels: [k]}}}",
                 "{steps: {s: {in: [x], program: {kernels: [k]}}}}"},
        KindCase{"OtherCounter", "tensors: {x: {repeat: {l: 4}}}", "tensors: {x: {repeat: {e: 8}}}",
                 "{tensors: {x: {repeat: {e: 8}}}}"},
        KindCase{"AcrossOverBox", "groups: {g: {box: [1, 2]}}", "groups: {g: {across: h}}",
                 "{groups: {g: {across: h}}}"},
        KindCase{"NamesThatLookLikeKinds", "set: {op: {split: 1, distribution: 2}}",
                 "set: {op: {split: 3}}", "{set: {op: {split: 3, distribution: 2}}}"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Apply, ReplacesAnOriginOfAnotherKind) {
    Node root = read_text("tensors: {x: {origin: {random: normal, stddev: 2}}}", "f.yaml");

    apply(parse_set("tensors.x.origin.file=f"), root);
    EXPECT_EQ(to_yaml(root), "{tensors: {x: {origin: {file: f}}}}");

    apply(parse_set("tensors.x.origin.tensor=t"), root);
    EXPECT_EQ(to_yaml(root), "{tensors: {x: {origin: {file: f, tensor: t}}}}");
}

TEST(Take, RemovesTheEntry) {
    Node map = read_text("{a: 1, b: 2}", "f.yaml");

    EXPECT_EQ(take(map, "a").text, "1");
    EXPECT_EQ(map.find("a"), nullptr);
    EXPECT_EQ(take(map, "a").kind, NodeKind::Null);
}

}  // namespace
}  // namespace tessera::config
