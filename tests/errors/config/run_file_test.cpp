// SPDX-License-Identifier: Apache-2.0
// One mistake in a run file, one message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

struct Mistake {
    const char* name;
    const char* from;
    const char* to;
    const char* message;
};

void PrintTo(const Mistake& mistake, std::ostream* stream) {
    *stream << mistake.name;
}

class RunFileErrors : public testing::TestWithParam<Mistake> {};

TEST_P(RunFileErrors, NamePlaceKeyAndWhatIsAllowed) {
    const Mistake& mistake = GetParam();

    const std::string message = refusal_of_run(replaced(kRun, mistake.from, mistake.to));

    EXPECT_EQ(message, mistake.message);
}

constexpr Mistake kMistakes[] = {
    {"SyntaxError", "[1, 2]", "[1, 2", "run.yaml:4:9: YAML syntax: end of sequence flow not found"},
    {"UnknownKeyNamesNearest", "shape:", "shap: [1, 2]\n  shape:",
     "run.yaml:3:3: mesh.shap: unknown key, did you mean mesh.shape?"},
    {"UnknownSection",
     "mesh:", "meshes: {}\nmesh:", "run.yaml:1:1: meshes: unknown key, did you mean mesh?"},
    {"DuplicateKey", "  tokens: 32", "  tokens: 32\n  tokens: 64",
     "run.yaml:6:3: tokens: key stands twice, first at run.yaml:5:3"},
    {"MissingKey", "  hidden: 64\n", "", "run.yaml:5:3: workload.hidden: required key is missing"},
    {"TextForNumber", "tokens: 32", "tokens: many",
     "run.yaml:5:11: workload.tokens: expected a whole number of 32 bits, found 'many'"},
    {"QuotedNumber", "tokens: 32", "tokens: \"32\"",
     "run.yaml:5:11: workload.tokens: expected a whole number of 32 bits, found the text \"32\""},
    {"FractionForWhole", "tokens: 32", "tokens: 32.5",
     "run.yaml:5:11: workload.tokens: expected a whole number of 32 bits, found '32.5'"},
    {"NegativeNumber", "tokens: 32", "tokens: -1",
     "run.yaml:5:11: workload.tokens: expected a whole number of 32 bits, found '-1'"},
    {"NumberPast32Bits", "tokens: 32", "tokens: 4294967296",
     "run.yaml:5:11: workload.tokens: expected a whole number of 32 bits, found '4294967296'"},
    {"ListForNumber", "tokens: 32", "tokens: [32]",
     "run.yaml:5:11: workload.tokens: expected a whole number of 32 bits, found a list of 1"},
    {"NothingForNumber", "tokens: 32",
     "tokens:", "run.yaml:5:3: workload.tokens: expected a whole number of 32 bits, found nothing"},
    {"OutOfRangeBelow", "tokens: 32", "tokens: 0",
     "run.yaml:5:11: workload.tokens: 0 is out of range, allowed: 1 to 1048576"},
    {"OutOfRangeAbove", "tokens: 32", "tokens: 1048577",
     "run.yaml:5:11: workload.tokens: 1048577 is out of range, allowed: 1 to 1048576"},
    {"NumberForPair", "shape: [1, 2]", "shape: 2",
     "run.yaml:3:10: mesh.shape: expected [rows, columns], found '2'"},
    {"TripleForPair", "shape: [1, 2]", "shape: [1, 2, 1]",
     "run.yaml:3:10: mesh.shape: expected [rows, columns], found a list of 3"},
    {"TextInPair", "shape: [1, 2]", "shape: [1, x]",
     "run.yaml:3:14: mesh.shape: expected a whole number in [rows, columns], found 'x'"},
    {"EmptyMesh", "shape: [1, 2]", "shape: [0, 2]",
     "run.yaml:3:10: mesh.shape: [0, 2] is out of range, allowed: 1 to 256"},
    {"UnknownWord", "shape: [1, 2]", "shape: [1, 2]\n  topology: star",
     "run.yaml:4:13: mesh.topology: expected line, ring or torus, found 'star'"},
    {"YesForTrue", "top_k: 2", "top_k: 2\nops: {moe_bmm: {fp32_dest_acc: yes}}",
     "run.yaml:10:32: ops.moe_bmm.fp32_dest_acc: expected true or false, found 'yes'"},
    {"NotANumber", "top_k: 2", "top_k: 2\nverify: {min_pcc: nan}",
     "run.yaml:10:19: verify.min_pcc: expected a number, found 'nan'"},
    {"ValueForSection", "top_k: 2", "top_k: 2\nverify: off",
     "run.yaml:10:9: verify: expected a map, found 'off'"},
    {"Anchor", "tokens: 32", "tokens: &t 32",
     "run.yaml:5:11: anchors are not allowed: write the value"},
    {"Tag", "tokens: 32", "tokens: !!int 32",
     "run.yaml:5:11: tag tag:yaml.org,2002:int is not allowed"},
    {"SecondDocument", "top_k: 2\n", "top_k: 2\n---\na: 1\n",
     "run.yaml:10:1: a second document is not allowed"},
    {"ListForKey",
     "mesh:", "[a]: 1\nmesh:", "run.yaml:1:1: a key must be plain text, found a list of 0"},
    {"UnknownDevice", "wormhole_n150", "wormhole_n15",
     "run.yaml:2:11: mesh.device: 'wormhole_n15' is unknown, did you mean wormhole_n150? Known: "
     "blackhole_p150, wormhole_n150"},
    {"DeviceAsPath", "wormhole_n150", "../arch/wormhole_n150",
     "run.yaml:2:11: mesh.device: '../arch/wormhole_n150' is unknown, did you mean wormhole_n150? "
     "Known: blackhole_p150, wormhole_n150"},
};

INSTANTIATE_TEST_SUITE_P(OneMistake, RunFileErrors, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return test.param.name; });

TEST(RunFileErrors, AreAbsentFromTheFileThatTheMistakesStartFrom) {
    EXPECT_EQ(refusal_of_run(std::string(kRun)), "");
}

TEST(RunFileErrors, OfOneFileAreReportedTogetherInTheOrderOfLines) {
    const std::string text = replaced(replaced(kRun, "top_k: 2", "topk: 2"), "shape:", "shap:");

    EXPECT_EQ(refusal_of_run(text),
              "run.yaml:2:3: mesh.shape: required key is missing\n"
              "run.yaml:3:3: mesh.shap: unknown key, did you mean mesh.shape?\n"
              "run.yaml:5:3: workload.top_k: required key is missing\n"
              "run.yaml:9:3: workload.topk: unknown key, did you mean workload.top_k?");
}

TEST(RunFileErrors, OfAnEmptyFileAreItsMissingKeys) {
    EXPECT_THAT(refusal_of_run("# nothing\n"),
                testing::StartsWith("run.yaml:1:1: mesh.device: required key is missing\n"
                                    "run.yaml:1:1: mesh.shape: required key is missing\n"
                                    "run.yaml:1:1: workload.tokens: required key is missing\n"));
}

TEST(RunFileErrors, SayWhatStandsInPlaceOfAMap) {
    EXPECT_EQ(refusal_of_run("[1, 2]\n"), "run.yaml:1:1: file: expected a map, found a list of 2");
}

}  // namespace
}  // namespace tessera::test
