// SPDX-License-Identifier: Apache-2.0
// Mistakes in --set key.path=value.
#include <gtest/gtest.h>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

std::string refusal_of_set(const std::string& set) {
    return refusal_of_run(std::string(kRun), {set});
}

TEST(OverrideErrors, NameTheOverrideInPlaceOfALine) {
    EXPECT_EQ(refusal_of_set("mesh.shap=[1,4]"),
              "--set mesh.shap=[1,4]: mesh.shap: unknown key, did you mean mesh.shape?");
}

TEST(OverrideErrors, SayWhatTypeIsDue) {
    EXPECT_EQ(refusal_of_set("workload.tokens=few"),
              "--set workload.tokens=few: workload.tokens: expected a whole number of 32 bits, "
              "found 'few'");
}

TEST(OverrideErrors, IncludeWhatNoLongerFitsTheFile) {
    EXPECT_EQ(refusal_of_set("workload.experts=3"),
              "--set workload.experts=3: workload.experts: 3 experts do not divide over the 2 "
              "devices of mesh.shape [1, 2]");
}

TEST(OverrideErrors, CoverATextWithoutEquals) {
    EXPECT_EQ(refusal_of_set("workload.tokens"), "--set workload.tokens: expected key.path=value");
}

TEST(OverrideErrors, CoverATextWithoutKey) {
    EXPECT_EQ(refusal_of_set("=3"), "--set =3: expected key.path=value");
}

TEST(OverrideErrors, CoverAnEmptyPartOfThePath) {
    EXPECT_EQ(refusal_of_set("workload..tokens=3"),
              "--set workload..tokens=3: 'workload..tokens' is no key path, write key.path=value");
}

TEST(OverrideErrors, CoverAPathThroughAValue) {
    EXPECT_EQ(refusal_of_set("workload.tokens.max=3"),
              "--set workload.tokens.max=3: workload.tokens is '32' and has no keys below it");
}

TEST(OverrideErrors, CoverYamlSyntax) {
    EXPECT_EQ(refusal_of_set("mesh.shape=[1,4"),
              "--set mesh.shape=[1,4: YAML syntax: end of sequence flow not found");
}

TEST(OverrideErrors, CoverABareNumberWhereAUnitIsDue) {
    EXPECT_EQ(refusal_of_set("arch.l1.size=1048576"),
              "--set arch.l1.size=1048576: arch.l1.size: '1048576' has no unit, allowed: B, KiB, "
              "MiB or GiB");
}

TEST(OverrideErrors, CoverUnknownKeysOfTheArch) {
    EXPECT_EQ(refusal_of_set("arch.l1.sise=1 MiB"),
              "--set arch.l1.sise=1 MiB: arch.l1.sise: unknown key, did you mean arch.l1.size?");
}

TEST(OverrideErrors, CoverRulesOfTheArch) {
    EXPECT_EQ(refusal_of_set("arch.l1.alignment=24 B"),
              "--set arch.l1.alignment=24 B: arch.l1.alignment: 24 B is no power of two");
}

TEST(OverrideErrors, AreReportedBehindThoseOfTheFile) {
    EXPECT_EQ(refusal_of_run(replaced(kRun, "tokens: 32", "tokens: 0"), {"workload.top_k=x"}),
              "run.yaml:5:11: workload.tokens: 0 is out of range, allowed: 1 to 1048576\n"
              "--set workload.top_k=x: workload.top_k: expected a whole number of 32 bits, found "
              "'x'");
}

}  // namespace
}  // namespace tessera::test
