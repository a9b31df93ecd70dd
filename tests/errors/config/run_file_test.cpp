// SPDX-License-Identifier: Apache-2.0
// One mistake in a run file, one message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/config/load_tree.hpp"
#include "tessera/errors.hpp"
#include "tests/errors/config/config_mistake.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::test {
namespace {

class RunFileErrors : public testing::TestWithParam<Mistake> {};

TEST_P(RunFileErrors, NamePlaceKeyAndWhatIsAllowed) {
    const Mistake& mistake = GetParam();

    const std::string message = refusal_of_run(replaced(kRun, mistake.from, mistake.to));

    EXPECT_EQ(message, mistake.message);
}

constexpr Mistake kMistakes[] = {
    {"ParamThatIsNoMultiple", "rows: 64", "rows: {value: 63, multiple_of: 2 * D}",
     "run.yaml:5:17: params.rows: 63, allowed: multiples of 2 * D (4)"},
    {"FollowsNothing", "rows: 64", "rows: {value: 64, follows: columns}",
     "run.yaml:5:30: params.rows.follows: expected [param, …], found 'columns'"},
    {"MultipleOfNothing", "rows: 64", "rows: {value: 64, multiple_of: D - D}",
     "run.yaml:5:34: params.rows.multiple_of: D - D (0), allowed: 1 or more"},
    {"MultipleOfADecimal", "rows: 64", "rows: {value: 64.5, multiple_of: D}",
     "run.yaml:5:17: params.rows: 64.5, allowed: whole numbers from 0"},
    {"DividesAsADecimal", "rows: 64", "rows: {value: 0.5, divides: [D]}",
     "run.yaml:5:17: params.rows: 0.5, allowed: whole numbers from 1"},
    {"RangeOfWords", "rows: 64", "rows: {value: 64, range: [1, many]}",
     "run.yaml:5:17: params.rows: range: many is a word, allowed: numbers"},
    {"NoChoices", "rows: 64", "rows: {value: 64, choices: []}",
     "run.yaml:5:30: params.rows.choices: expected [word, …], found a list of 0"},
    {"FollowsAnUnknownParam", "rows: 64", "rows: {value: 64, follows: [colums]}",
     "run.yaml:5:31: params.rows.follows: 'colums', allowed: params that are defined above"},
    {"TabInAnIndent", "  rows: 64", "\trows: 64",
     "run.yaml:5:6: YAML syntax: illegal map value; a tab indents the line, allowed: spaces"},
    {"SyntaxError", "[1, 2]", "[1, 2", "run.yaml:4:7: YAML syntax: end of sequence flow not found"},
    {"ControlCharacter", "rows: 64", "rows: 6\x01",
     "run.yaml:5:10: control character 0x01; allowed: text, tabs and ends of lines"},
    {"UnknownKeyNamesNearest", "shape: [1", "shap: [1, 2]\n  shape: [1",
     "run.yaml:3:3: mesh.shap: unknown key, did you mean mesh.shape?"},
    {"UnknownSection",
     "mesh:", "meshes: {}\nmesh:", "run.yaml:1:1: meshes: unknown key, did you mean mesh?"},
    {"DuplicateKey", "  rows: 64", "  rows: 64\n  rows: 65",
     "run.yaml:6:3: rows: duplicate key, first at run.yaml:5:3"},
    {"WordForAParam", "rows: 64", "rows: many",
     "run.yaml:5:9: params.rows: 'many' is a word; allowed: a number, or {value: …, choices: […]}"},
    {"ParamThatUsesALaterOne", "rows: 64", "rows: columns * 2",
     "run.yaml:5:9: params.rows: 'columns * 2': columns is defined further down; a param may use "
     "those above it"},
    {"WordThatIsNoChoice", "value: plain", "value: plan",
     "run.yaml:7:17: params.mode: plan, allowed: plain, fancy"},
    {"ParamOutOfRange", "value: 96", "value: 0",
     "run.yaml:6:20: params.columns: 0 is out of range, allowed: 1 to 1024"},
    {"ParamThatDoesNotDivide", "value: 96, range: [1, 1024]",
     "value: 96, range: [1, 1024], divides: [192, rows]",
     "run.yaml:6:20: params.columns: 96 does not divide rows, which is 64"},
    {"ListForAParam", "rows: 64", "rows: [64]",
     "run.yaml:5:9: params.rows: expected a number, a word or {value: …, choices: …}, found a list "
     "of 1"},
    {"UnknownKeyOfAParam", "range: [1", "rang: [1",
     "run.yaml:6:24: params.columns.rang: unknown key, did you mean params.columns.range?"},
    {"InputBeyondDram", "rows: 64", "rows: 67108864",
     "run.yaml:9:3: tensors.x: DRAM of device 0 (bytes per bank): x needs 1073741824 B, but the "
     "largest free range has 1073741792 B (32 B missing); 0 B of 1073741792 B are held by: "
     "nothing"},
    {"UnknownParamInAShape", "[rows, columns]", "[row, columns]",
     "run.yaml:9:14: tensors.x.shape: row is unknown, did you mean rows?"},
    {"ExtentOfZero", "[rows, columns]", "[rows - 64, columns]",
     "run.yaml:9:14: tensors.x.shape: 'rows - 64' is 0; allowed: a whole number, 1 to 4294967295"},
    {"DivisionThatLeavesARest", "[rows, columns]", "[rows / 3, columns]",
     "run.yaml:9:14: tensors.x.shape: 'rows / 3': 3 does not divide 64; use ceil_div or floor_div, "
     "or "
     "ratio for a decimal"},
    {"TensorWithoutDtype", "dtype: bfloat16, ", "",
     "run.yaml:9:6: tensors.x.dtype: required key is missing"},
    {"TensorWithoutShape", "shape: [rows, columns], ", "",
     "run.yaml:9:6: tensors.x.shape: required key is missing"},
    {"UnknownDtype", "bfloat16", "bf16",
     "run.yaml:9:38: tensors.x.dtype: expected bfloat16, float32, bfp8_b, bfp4_b, fp8_e4m3, "
     "fp8_e5m2, int32, uint32, uint16 or uint8, found 'bf16'"},
    {"UnknownKeyOfATensor", "layout: tile", "layouts: tile",
     "run.yaml:9:48: tensors.x.layouts: unknown key, did you mean tensors.x.layout?"},
    {"UnknownOrigin", "layout: tile", "layout: tile, origin: ones",
     "run.yaml:9:70: tensors.x.origin: unknown origin 'ones', allowed: {random: normal}, {random: "
     "routing}, {random: routing_weights}, {random: routing_logits}, {random: expert_mapping}, "
     "{random: expert_map}, zeros, {constant: …}, {join: …}, {places: …}, {index: …}, {file: …}, "
     "{checkpoint: …}"},
    {"UnknownKeyOfAnOrigin", "layout: tile", "layout: tile, origin: {random: normal, stdev: 1}",
     "run.yaml:9:87: tensors.x.origin.stdev: unknown key, did you mean tensors.x.origin.stddev?"},
    {"SplitThatGroupsDoNotDivide", "[rows, columns], dtype: bfloat16, layout: tile",
     "[rows, 95], dtype: bfloat16, layout: tile, split: {axis: 1, over: rows}",
     "run.yaml:9:3: tensors.x: axis 1 has extent 95; allowed: a multiple of 2, the number of "
     "devices"},
    {"SplitThatDoesNotComeOut", "layout: tile", "layout: tile, split: {axis: 2}",
     "run.yaml:9:3: tensors.x: axis 2 of 2 extents; allowed: 0 to 1"},
    {"SplitByNobody", "layout: tile", "layout: tile, split: {by: map}",
     "run.yaml:9:3: tensors.x: split by map, which is not an input tensor"},
    {"UnknownOpInSet", "steps:", "set:\n  scal: {}\nsteps:",
     "run.yaml:11:3: set.scal: unknown op, did you mean set.scale?"},
    {"GroupOfSizeZero", "params:", "groups: {g: {box: [0, 1]}}\nparams:",
     "run.yaml:4:13: groups.g: a box of [0, 1] is a group without devices; allowed: extents of at "
     "least 1"},
    {"GroupWithoutDevices", "params:", "groups: {g: [[0], []]}\nparams:",
     "run.yaml:4:13: groups.g: is a group without devices; allowed: at least one device"},
    {"BoxesThatDoNotTileTheMesh", "params:", "groups: {g: {box: [1, 3]}}\nparams:",
     "run.yaml:4:13: groups.g: boxes of [1, 3] do not tile the mesh of [1, 2] devices"},
    {"GroupsThatOverlap", "params:", "groups: {g: [[0, 1], [1, 0]]}\nparams:",
     "run.yaml:4:13: groups.g: device 1 is in groups 0 and 1; allowed: groups without common "
     "devices"},
    {"GroupsOfOtherSizes", "params:", "groups: {g: [[0], [0, 1]]}\nparams:",
     "run.yaml:4:13: groups.g: groups of 1 and of 2 devices; allowed: groups of equal size"},
    {"DeviceTwiceInAGroup", "params:", "groups: {g: [[1, 1]]}\nparams:",
     "run.yaml:4:18: groups.g: device 1 is listed twice"},
    {"GroupCalledAsAWord", "params:", "groups: {rows: [[1]]}\nparams:",
     "run.yaml:4:16: groups.rows: is a reserved word; allowed: names other than all, rows, columns "
     "and each"},
    {"AcrossNoGroup", "params:", "groups: {g: {across: h}}\nparams:",
     "run.yaml:4:13: groups.g: 'h', allowed: all, rows, columns, each, or a list of ids"},
    {"SplitOverNoGroup", "layout: tile", "layout: tile, split: {over: h}",
     "run.yaml:9:76: tensors.x.split.over: 'h', allowed: all, rows, columns, each, or a list of "
     "ids"},
    {"JoinOfNoTensor", "layout: tile", "layout: tile, origin: {join: [z]}",
     "run.yaml:9:3: tensors.x: joins z, which is not an input tensor"},
    {"TwoOutputsOfOneName", "set: {factor: 2}}\n",
     "set: {factor: 2}}\n"
     "  - {name: triple, op: scale, in: [x], out: [z], set: {factor: 3}}\n"
     "outputs:\n  - {tensor: y, as: \"r${device}\"}\n  - {tensor: z, as: \"r${1 + 0}\"}\n",
     "run.yaml:15:5: outputs: y and z have the same name r1 in the file of outputs; rename one "
     "with `as`"},
    {"OutputThatNoStepMakes", "set: {factor: 2}}\n", "set: {factor: 2}}\noutputs: [y, yy]\n",
     "run.yaml:12:14: outputs: no step makes yy, did you mean y?"},
    {"FileThatExtendsItself",
     "mesh:", "extends: run.yaml\nmesh:", "run.yaml:1:10: extends: run.yaml extends itself"},
    {"ExtendsNobody", "mesh:", "extends: nobody\nmesh:",
     "run.yaml:1:10: extends: run file 'nobody' not found; searched: nobody, nobody.yaml, "
     "configs/runs/nobody.yaml"},
    {"UnknownDevice", "wormhole_n150", "wormhole_n15",
     "run.yaml:2:11: mesh.device: 'wormhole_n15' is unknown, did you mean wormhole_n150? "
     "Allowed: blackhole_p150, wormhole_n150"},
    {"Anchor", "rows: 64", "rows: &t 64", "run.yaml:5:9: anchors are not allowed: write the value"},
    {"SecondDocument", "factor: 2}}\n", "factor: 2}}\n---\na: 1\n",
     "run.yaml:12:1: a second document is not allowed"},
    {"EmptyMesh", "shape: [1, 2]", "shape: [0, 2]",
     "run.yaml:3:10: mesh.shape: [0, 2] is out of range, allowed: 1 to 256"},
    {"UnknownWord", "shape: [1, 2]", "shape: [1, 2]\n  topology: star",
     "run.yaml:4:13: mesh.topology: expected line, ring or torus, found 'star'"},
    {"DecimalExtent", "rows: 64", "rows: 6.4e1",
     "run.yaml:9:14: tensors.x.shape: 'rows' is 64; allowed: a whole number, 1 to 4294967295; "
     "write it without point and exponent"},
    {"MoreRowsThanAnOutputHas", "set: {factor: 2}}\n",
     "set: {factor: 2}}\noutputs: [{tensor: y, rows: 100}]\n",
     "run.yaml:12:11: outputs.rows: 100 of d0.y, allowed: 1 to 64"},
    {"NoRowsOfAnOutput", "set: {factor: 2}}\n",
     "set: {factor: 2}}\noutputs: [{tensor: y, rows: 0}]\n",
     "run.yaml:12:29: outputs.rows: '0' is 0; allowed: 1 to the tensor's rows; without the key, "
     "all"},
    {"OpWithoutAFolder",
     "mesh:", "ops: [\"\"]\nmesh:", "run.yaml:1:7: ops: expected a folder, found the text \"\""},
    {"DeviceThatARunExtends", "mesh:", "arch: {extends: blackhole_p150}\nmesh:",
     "run.yaml:1:17: arch.extends: is a key of device files; allowed in a run: mesh.device names "
     "the device, and arch changes its keys"},
    {"RingOfTwoDimensions", "shape: [1, 2]", "shape: [2, 2]\n  topology: ring",
     "run.yaml:4:13: mesh.topology: ring needs one row or one column, but mesh.shape is [2, 2]; "
     "allowed: line or torus"},
};

INSTANTIATE_TEST_SUITE_P(OneMistake, RunFileErrors, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return test.param.name; });

TEST(RunFileErrors, AreAbsentFromTheFileThatTheMistakesStartFrom) {
    EXPECT_EQ(refusal_of_run(std::string(kRun)), "");
}

TEST(RunFileErrors, OfOneFileAreReportedTogetherInTheOrderOfLines) {
    const std::string text =
        replaced(replaced(kRun, "dtype: bfloat16", "dtyp: bfloat16"), "op: scale", "op: scal");

    EXPECT_THAT(refusal_of_run(text),
                testing::MatchesRegex(
                    "run.yaml:9:6: tensors.x.dtype: required key is missing\n"
                    "run.yaml:9:31: tensors.x.dtyp: unknown key, did you mean tensors.x.dtype.\n"
                    "run.yaml:11:24: steps.double.op: unknown op 'scal', did you mean scale.*"));
}

TEST(RunFileErrors, OfAnEmptyFileAreItsMissingKeys) {
    EXPECT_THAT(refusal_of_run("# nothing\n"),
                testing::StartsWith("run.yaml:1:1: mesh.device: required key is missing\n"
                                    "run.yaml:1:1: mesh.shape: required key is missing"));
}

TEST(RunFileErrors, SayWhatStandsInPlaceOfAMap) {
    EXPECT_EQ(refusal_of_run("[1, 2]\n"), "run.yaml:1:1: file: expected a map, found a list of 2");
}

TEST(RunFileErrors, SayWhereAKernelWasLookedFor) {
    const std::string text = replaced(
        kRun, "op: scale, in: [x], out: [y], set: {factor: 2}",
        "program: {kernels: [{path: nobody.cpp, on: reader}]}, in: [x], out: {y: {shape: [rows, "
        "columns], dtype: bfloat16, layout: tile}}");

    EXPECT_THAT(refusal_of_run(text),
                testing::StartsWith("run.yaml:11:47: steps.double.program.kernels[0].path: "
                                    "nobody.cpp not found; searched ., "));
}

TEST(RunFileErrors, AreAbsentWhereAParamChoosesAnOutput) {
    const std::string text =
        replaced(kRun, "set: {factor: 2}}\n",
                 "set: {factor: 2}}\n"
                 "  - {name: s, op: scale, in: [x], out: [plain], set: {factor: 1}}\n"
                 "outputs: [{tensor: \"${mode}\"}]\n");

    EXPECT_EQ(refusal_of_run(text), "");
}

// The layer's `silu` is not made if a later step computes it too.
TEST(RunFileErrors, AreAbsentWhereAnotherChoiceOfStepsMakesAnOutput) {
    const std::string text = replaced(
        kRun, "set: {factor: 2}}\n",
        "set: {factor: 2}}\n"
        "  - {name: z, when: mode == fancy, op: scale, in: [x], out: [z], set: {factor: 1}}\n"
        "outputs: [y, z]\n");

    EXPECT_EQ(refusal_of_run(text), "");
}

TEST(RunFileErrors, RefuseToExtendAFileThatIsNoMap) {
    const std::pair<const char*, const char*> contents[] = {
        {"word\n", "'word'"}, {"[1, 2]\n", "a list of 2"}, {"# nothing\n", "nothing"}};
    for (const auto& [text, found] : contents) {
        const ScratchFolder folder;
        (void)folder.write("hello.yaml", text);
        (void)folder.write("run.yaml", "extends: hello\n" + std::string(kRun));

        EXPECT_THAT([&] { (void)config::read_run(folder.file("run.yaml"), {}); },
                    testing::ThrowsMessage<ConfigError>(
                        folder.file("hello.yaml") + ":1:1: file: expected a map, found " + found));
    }
}

TEST(RunFileErrors, NameFilesThatExtendEachOther) {
    const ScratchFolder folder;
    (void)folder.write("a.yaml", "extends: b.yaml\n");
    (void)folder.write("b.yaml", "extends: a.yaml\n");

    EXPECT_THAT([&] { (void)config::read_run(folder.file("a.yaml"), {}); },
                testing::ThrowsMessage<ConfigError>(folder.file("b.yaml") +
                                                    ":1:10: extends: a.yaml extends itself through "
                                                    "b.yaml"));
}

}  // namespace
}  // namespace tessera::test
