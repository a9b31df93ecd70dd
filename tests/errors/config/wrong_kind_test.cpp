// SPDX-License-Identifier: Apache-2.0
// Values of the wrong kind for a key (a list for a word, a word for a map, no text at all), and
// references that no run could compare.
#include <gtest/gtest.h>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

class WrongKinds : public testing::TestWithParam<Mistake> {};

TEST_P(WrongKinds, AreNamedWithWhatTheKeyTakes) {
    const Mistake& mistake = GetParam();

    EXPECT_EQ(refusal_of_run(replaced(kRun, mistake.from, mistake.to)), mistake.message);
}

constexpr Mistake kMistakes[] = {
    {"OutputOfAStepThatIsAList", "out: [y]", "out: [[y]]",
     "run.yaml:11:46: steps.double.out: expected the name of a tensor, found a list of 1"},
    {"OutputOfAStepWithoutAName", "out: [y]", "out: [\"\"]",
     "run.yaml:11:46: steps.double.out: expected the name of a tensor, found the text \"\""},
    {"StepWithAnEmptyName", "name: double", "name: \"\"",
     "run.yaml:11:12: steps: the name of a step is empty"},
    {"ReferenceOfAnOp", "out: [y]", "out: [y], reference: 2 * x",
     "run.yaml:11:61: steps.double.reference: has no effect: the op has its own reference; allowed "
     "with program"},
    {"ConditionThatIsAList", "out: [y]", "out: [y], when: [mode]",
     "run.yaml:11:56: steps.double.when: expected a condition, found a list of 1"},
    {"SetThatIsNoMap",
     "steps:", "set: 5\nsteps:", "run.yaml:10:6: set: expected {op: {key: value}}, found '5'"},
    {"WorkspaceThatIsNoList", "steps:", "workspaces: {w: y}\nsteps:",
     "run.yaml:10:17: workspaces.w: expected a list of tensors, found 'y'"},
    {"DefinesThatAreNoMap", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, defines: [a]}]}, in: "
     "[x], out: {y: {shape: [rows, "
     "columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:98: steps.double.program.kernels[0].defines: expected a map, found a list of 1"},
    {"ProcessorWithAnUnknownKey", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: {risc: riscv_0}}]}, in: [x], "
     "out: {y: {shape: [rows, "
     "columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:82: steps.double.program.kernels[0].on.risc: unknown key, did you mean "
     "steps.double.program.kernels[0].on.riscv?"},
    {"SemaphoreThatIsAList", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}], semaphores: {s: "
     "[1]}}, in: [x], out: {y: {shape: [rows, "
     "columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:107: steps.double.program.semaphores.s: expected a map, found a list of 1"},
    {"ReferenceFileWithAnUnknownKey", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: {fil: a}, "
     "in: "
     "[x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:103: steps.double.reference.file: required key is missing\nrun.yaml:11:104: "
     "steps.double.reference.fil: unknown key, did you mean steps.double.reference.file?"},
    {"ReferenceFileThatIsAList", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: {file: "
     "[a]}, "
     "in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:110: steps.double.reference.file: expected the name of a file, found a list of "
     "1"},
    {"MacroOfTwoWords", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, defines: {A B: 1}}]}, "
     "in: [x], out: {y: {shape: [rows, "
     "columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:99: steps.double.program.kernels[0].defines: 'A B' is not the name of a macro; "
     "allowed: letters, digits and _"},
    {"KernelOnNoCore", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, cores: []}]}, in: [x], "
     "out: {y: {shape: [rows, "
     "columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:96: steps.double.program.kernels[0].cores: expected at least one [[x, y], [x, "
     "y]], "
     "found none"},
    {"GridWithoutCores", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cores: {grid: [0, 1]}, kernels: [{path: ops/scale/kernels/reader.cpp, on: "
     "reader}]}, in: [x], out: {y: {shape: [rows, "
     "columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:44: steps.double.program.cores.grid: [0, 1] has no core, allowed: [0, 0], which "
     "is "
     "all of the device, or extents of at least 1"},
    {"SeedOutOfRange", "steps:", "seed: 99999999999999999999\nsteps:",
     "run.yaml:10:7: seed: '99999999999999999999': a number is out of range"},
    {"ExtendsAMap", "mesh:", "extends: {a: 1}\nmesh:",
     "run.yaml:1:10: extends: expected the name of a run, found a map"},
    {"OpThatIsAList", "op: scale", "op: [scale]",
     "run.yaml:11:24: steps.double.op: expected the name of an op, found a list of 1"},
    {"LaunchThatIsAList", "out: [y]", "out: [y], launch: [a]",
     "run.yaml:11:58: steps.double.launch: expected the name of a launch, found a list of 1"},
    {"OutputThatIsAList", "set: {factor: 2}}\n", "set: {factor: 2}}\noutputs: [[y]]\n",
     "run.yaml:12:11: outputs: expected the name of a tensor, or {tensor: …}, found a list of 1"},
    {"NotANumberForAParameter", "factor: 2", "factor: .nan",
     "run.yaml:11:64: steps.double.set.factor: '.nan': expected a number or a name, found '.nan'"},
    {"NumberOutOfRangeForAParameter", "factor: 2", "factor: 1e999",
     "run.yaml:11:64: steps.double.set.factor: '1e999': a number is out of range"},
    {"EmptyNameOfAnInput", "in: [x]", "in: [x, \"\"]",
     "run.yaml:11:39: steps.double.in: expected a tensor, found nothing; use `in: {operand: "
     "tensor}` to omit an optional one"},
    {"ReferenceOfMatricesThatDoNotMatch", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: "
     "\"x @ x\", in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: "
     "tile}}",
     "run.yaml:11:103: steps.double.reference: 'x @ x': (64,96) @ (64,96): columns of the left "
     "must "
     "equal rows of the right"},
    {"ReferenceOfAnotherShape", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: "
     "\"mean(x)\", in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: "
     "tile}}",
     "run.yaml:11:103: steps.double.reference: 'mean(x)' has shape (64,1); the output y is "
     "(64,96)"},
    {"ReferenceThatCannotBeBroadcast", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: "
     "\"x + transpose(x)\", in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: "
     "tile}}",
     "run.yaml:11:103: steps.double.reference: 'x + transpose(x)': shapes (64,96) and (96,64) "
     "cannot "
     "be broadcast"},
    {"ReferenceOfCodes",
     "dtype: bfloat16, layout: tile}\nsteps:\n  - {name: double, op: scale, in: "
     "[x], out: [y], set: {factor: 2}",
     "dtype: fp8_e4m3, layout: tile}\nsteps:\n  - {name: double, program: {kernels: [{path: "
     "ops/scale/kernels/reader.cpp, on: reader}]}, reference: "
     "\"x * 2\", in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: "
     "tile}}",
     "run.yaml:11:103: steps.double.reference: fp8_e4m3 is not supported in an expression; "
     "allowed: "
     "bfloat16, float32, integers"},
};

INSTANTIATE_TEST_SUITE_P(OneMistake, WrongKinds, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return test.param.name; });

// Each level takes a few recursion frames; 100 000 levels overflowed the stack.
TEST(NestedExpressions, AreRefusedBeforeTheyOverflowTheStack) {
    const std::string signs = std::string(100'000, '-') + "1";
    const std::string open(100'000, '(');

    EXPECT_EQ(refusal_of_run(replaced(kRun, "rows: 64", "rows: " + signs)),
              "run.yaml:5:9: params.rows: '" + signs.substr(0, 200) +
                  "…': signs are nested too deeply, allowed: 64 levels");
    EXPECT_EQ(
        refusal_of_run(replaced(kRun, "op: scale, in: [x], out: [y], set: {factor: 2}",
                                "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: "
                                "reader}]}, reference: " +
                                    open +
                                    ", in: [x], out: {y: {shape: [rows, columns], dtype: "
                                    "bfloat16, layout: tile}}")),
        "run.yaml:11:103: steps.double.reference: '" + open.substr(0, 200) +
            "…': is nested too deeply, allowed: 64 levels");
}

}  // namespace
}  // namespace tessera::test
