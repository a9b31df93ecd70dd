// SPDX-License-Identifier: Apache-2.0
// One mistake under `steps:` of a run file, one message.
#include <gtest/gtest.h>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

class StepErrors : public testing::TestWithParam<Mistake> {};

TEST_P(StepErrors, NamePlaceKeyAndWhatIsAllowed) {
    const Mistake& mistake = GetParam();

    EXPECT_EQ(refusal_of_run(replaced(kRun, mistake.from, mistake.to)), mistake.message);
}

constexpr Mistake kMistakes[] = {
    {"MissingSteps", "steps:\n  - {name: double, op: scale, in: [x], out: [y], set: {factor: 2}}\n",
     "", "run.yaml:1:1: steps: required key is missing"},
    {"OutputBeyondDramBesideItsInput", "rows: 64", "rows: 33554432",
     "run.yaml:11:12: steps.double: DRAM of device 0 (bytes per bank): y needs 536870912 B, but "
     "the largest free range has 536870880 B (32 B missing); 536870912 B of 1073741792 B are held "
     "by: x 536870912 B"},
    {"StepWithoutName", "name: double, ", "",
     "run.yaml:11:5: steps: required key name is missing: {name: …, op: …}"},
    {"StepThatIsAWord", "{name: double, op: scale, in: [x], out: [y], set: {factor: 2}}", "double",
     "run.yaml:11:5: steps: expected {name: …, op: …}, found 'double'"},
    {"StepWithoutOp", "op: scale, ", "",
     "run.yaml:11:5: steps.double: neither op nor program: one of them is required"},
    {"StepThatStandsTwice", "set: {factor: 2}}",
     "set: {factor: 2}}\n  - {name: double, op: copy, in: [x], out: [z]}",
     "run.yaml:12:12: steps: duplicate name double, first at run.yaml:11:12"},
    {"NameWithADot", "name: double", "name: dou.ble",
     "run.yaml:11:12: steps: invalid name 'dou.ble'; a dot separates the keys of a path"},
    {"UnknownOp", "op: scale", "op: scal",
     "run.yaml:11:24: steps.double.op: unknown op 'scal', did you mean scale? Allowed: the ops "
     "that "
     "`tessera list ops` shows"},
    {"UnknownKeyOfAStep", "in: [x]", "ins: [x]",
     "run.yaml:11:31: steps.double.ins: unknown key, did you mean steps.double.in?"},
    {"UnknownTensor", "in: [x]", "in: [xx]",
     "run.yaml:11:36: steps.double.in: no tensor xx exists at this step, did you mean x?"},
    {"UnknownTensorBesideAKnownOne", "in: [x]", "in: [x, xx]",
     "run.yaml:11:39: steps.double.in: no tensor xx exists at this step, did you mean x?"},
    {"UnknownTensorOfAnOperand", "in: [x]", "in: {input: xx}",
     "run.yaml:11:43: steps.double.in.input: no tensor xx exists at this step, did you mean x?"},
    {"UnknownTensorOfAProgramWithoutItsConsequences",
     "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, args: [address(x)]}]}, "
     "in: [xx], out: {y: {shape: [64, 96], dtype: bfloat16}}, reference: 2 * x",
     "run.yaml:11:117: steps.double.in: no tensor xx exists at this step, did you mean x?"},
    {"UnknownTensorsOfTwoSteps", "in: [x], out: [y], set: {factor: 2}}",
     "in: [xx], out: [y], set: {factor: 2}}\n  - {name: twice, op: copy, in: [yy], out: [z]}",
     "run.yaml:11:36: steps.double.in: no tensor xx exists at this step, did you mean x?\n"
     "run.yaml:12:34: steps.twice.in: no tensor yy exists at this step, did you mean y?"},
    {"TensorOfALaterStep", "in: [x], out: [y], set: {factor: 2}}",
     "in: [zz], out: [y], set: {factor: 2}}\n  - {name: twice, op: copy, in: [y], out: [zz]}",
     "run.yaml:11:36: steps.double.in: no tensor zz exists at this step, allowed: x"},
    {"UnknownParamInTheNameOfATensor", "in: [x]", "in: [\"x_${rowz}\"]",
     "run.yaml:11:5: steps.double: 'x_${rowz}': rowz is unknown, did you mean rows?"},
    {"UnknownParamInALaunch", "op: scale", "op: scale, launch: \"l_${rowz}\"",
     "run.yaml:11:5: steps.double: 'l_${rowz}': rowz is unknown, did you mean rows?"},
    {"UnknownParamInANewName", "  x: {shape", "  x_${rowz}: {shape",
     "run.yaml:9:14: tensors.x_${rowz}: 'x_${rowz}': rowz is unknown, did you mean rows?"},
    {"OutMissing", "out: [y], ", "", "run.yaml:11:5: steps.double.out: required key is missing"},
    {"TooManyInputs", "in: [x]", "in: [x, x]",
     "run.yaml:11:35: steps.double: inputs are 2 tensors; allowed: 1: input"},
    {"TooManyOutputs", "out: [y]", "out: [y, z]",
     "run.yaml:11:35: steps.double: outputs are 2 tensors; allowed: up to 1, the outputs of the "
     "op"},
    {"UnknownOperand", "in: [x]", "in: {inputs: x}",
     "run.yaml:11:36: steps.double.in.inputs: unknown operand, did you mean input?"},
    {"UnknownParameter", "factor: 2", "factr: 2",
     "run.yaml:11:5: steps.double.set.factor: required key is missing\nrun.yaml:11:56: "
     "steps.double.set.factr: unknown key, did you mean steps.double.set.factor?"},
    {"RequiredParameterMissing", ", set: {factor: 2}", "",
     "run.yaml:11:5: steps.double.set.factor: required key is missing"},
    {"ParameterOutOfRange", "factor: 2", "factor: 2, cb_depth: 65",
     "run.yaml:11:77: steps.double.set.cb_depth: 65 is out of range, allowed: 1 to 64"},
    {"ParameterThatIsNoMultiple", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "op: rope, in: [x, x], out: [y], set: {first: 8}",
     "run.yaml:11:65: steps.double.set.first: 8 is out of range, allowed: 0 to 112, a multiple of "
     "16"},
    {"ParameterThatIsNotListed", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "op: fp8_swiglu, in: [x, x], out: [y], set: {tile: 24}",
     "run.yaml:11:70: steps.double.set.tile: 24 is out of range, allowed: 8, 16, 32, 64 or 128"},
    {"TextForAParameter", "factor: 2", "factor: big",
     "run.yaml:11:64: steps.double.set.factor: expected a number, found 'big'"},
    {"ContractOfLayout", "layout: tile", "layout: row_major",
     "run.yaml:11:35: steps.double.in: input (x) is (64,96) bfloat16 ROW_MAJOR; allowed: (64,96) "
     "bfloat16 TILE"},
    {"ContractOfFormat", "dtype: bfloat16", "dtype: float32",
     "run.yaml:11:35: steps.double.in: input (x) is (64,96) float32 TILE; allowed: (64,96) "
     "bfloat16 TILE"},
    {"RuleOfAParameter", "factor: 2", "factor: 2, grid: [9, 1]",
     "run.yaml:11:73: steps.double.set.grid: [9, 1] is not part of the wormhole_n150's grid; "
     "allowed: [0, 0], which is all of it, or [1, 1] to [8, 8]"},
    {"RuleOfACommonParameter", "steps:", "set:\n  scale: {grid: [9, 1]}\nsteps:",
     "run.yaml:11:17: steps.double.set.grid: [9, 1] is not part of the wormhole_n150's grid; "
     "allowed: [0, 0], which is all of it, or [1, 1] to [8, 8]"},
    {"UnknownDevices", "out: [y]", "out: [y], devices: [2]",
     "run.yaml:11:60: steps.double.devices: device 2, allowed: 0 to 1"},
    {"UnknownGroup", "out: [y]", "out: [y], devices: row",
     "run.yaml:11:59: steps.double.devices: 'row', allowed: all, rows, columns, each, or a list of "
     "ids"},
    {"BesideNoStep", "in: [x]", "beside: triple, in: [x]",
     "run.yaml:11:12: steps.double.beside: no step triple follows it"},
    {"ConditionOfAWordThatIsNobodys", "out: [y]", "out: [y], when: mode",
     "run.yaml:11:56: steps.double.when: 'mode' is plain; allowed: a comparison, true or false"},
    {"OpAndProgram", "op: scale", "op: scale, program: {}",
     "run.yaml:11:5: steps.double: op and program: one of them is allowed"},
    {"ProgramWithoutKernels", "op: scale", "program: {}",
     "run.yaml:11:29: steps.double.program.kernels: expected a list of kernels, found "
     "nothing\nrun.yaml:11:48: steps.double.out.y: a program's output needs its shape and dtype: "
     "{shape: [M, N], dtype: bfloat16}"},
    {"ProgramOutputOfAShapeThatIsRefused", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, in: [x], out: {y: "
     "{shape: [0, 64], dtype: bfloat16}}",
     "run.yaml:11:118: steps.double.out.y.shape: is 0; allowed: a whole number, 1 to 4294967295"},
    {"ProgramOutputWithoutShape", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, in: [x], out: [y]",
     "run.yaml:11:107: steps.double.out.y: a program's output needs its shape and dtype: {shape: "
     "[M, N], dtype: bfloat16}"},
    {"KernelOnNothing", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: brisc}]}, in: [x], out: {y: "
     "{shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:81: steps.double.program.kernels[0].on: 'brisc', allowed: reader, writer, "
     "compute, or {riscv: riscv_0, noc: noc_1}"},
    {"CircularBufferOutOfRange", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cbs: {32: {}}, kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, in: "
     "[x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:36: steps.double.program.cbs.32: invalid circular buffer '32' of wormhole_n150, "
     "allowed: 0 to 31"},
    {"TileOfNoUnit", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cbs: {0: {tile: [3, 32]}}, kernels: [{path: ops/scale/kernels/reader.cpp, on: "
     "reader}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:46: steps.double.program.cbs.0.tile: [3, 32], allowed: 1, 2, 4, 8, 16 or 32 "
     "rows of 16 or 32 columns"},
    {"TinyTilesOfAnOp", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "op: scale, in: [x], out: {y: {tile: [16, 32]}}, set: {factor: 2}",
     "run.yaml:11:46: steps.double.out: output (y) is (64,96) bfloat16 TILE of 16×32; allowed: "
     "(64,96) bfloat16 TILE"},
    {"ArgumentThatIsNobodys", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, args: [core.frst]}]}, "
     "in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:95: steps.double.program.kernels[0].args: core.frst is unknown, did you mean "
     "core.first?"},
    {"NamedArgumentsInAList", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/compute.cpp, on: compute, named_compile_args: "
     "[2]}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:111: steps.double.program.kernels[0].named_compile_args: expected a map of names "
     "to expressions, found a list of 1"},
    {"NamedArgumentThatIsNobodys", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/compute.cpp, on: compute, named_compile_args: "
     "{factor: ros}}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:120: steps.double.program.kernels[0].named_compile_args.factor: ros is unknown, "
     "did you mean rows?"},
    {"AddressOfNobody", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, args: [address(z)]}]}, "
     "in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:95: steps.double.program.kernels[0].args: z is not a tensor of the step"},
    {"AccessorAsARuntimeArgument", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, args: [accessor(x)]}]}, "
     "in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:95: steps.double.program.kernels[0].args: accessor(x) gives compile-time "
     "arguments; allowed: in compile_args"},
    {"CoordinateBeyondTheGrid", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, args: "
     "[virtual_x(8)]}]}, "
     "in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:95: steps.double.program.kernels[0].args: virtual_x(8): allowed: 0 to 7"},
    {"SemaphoreWithADot", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {semaphores: {core.first: 0}, kernels: [{path: ops/scale/kernels/reader.cpp, on: "
     "reader}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:43: steps.double.program.semaphores.core.first: invalid name 'core.first'; "
     "allowed: a name without a dot"},
    {"NoSteps", "steps:\n  - {name: double, op: scale, in: [x], out: [y], set: {factor: 2}}\n",
     "steps: []\n", "run.yaml:10:8: steps: expected a list of steps, found an empty one"},
    {"NestedRepetitions", "  - {name: double,",
     "  - name: all\n    repeat: {a: 3000}\n    steps:\n      - {name: \"s${a}\", repeat: {b: "
     "3000}, "
     "op: copy, in: [x], out: [z]}\n  - {name: double,",
     "run.yaml:14:37: steps.s${a}.repeat: 9000000 repetitions (3000 in each of 3000), allowed: 0 "
     "to 4096"},
    {"BuffersOfAProgramBeyondL1", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cores: {grid: [1, 1]}, cbs: {0: {pages: 600}, 16: {format: float32, pages: 100}}, "
     "kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, in: [x], out: {y: {shape: "
     "[rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:12: steps.double: device 0 core (0,0): circular buffers do not fit: cb 16 ends "
     "242976 B above 0x16e000, where L1 ends; circular buffers of the core, from 0x19520 on:\n"
     "  cb 0       1228800 B = 600 x 2048 B, bfloat16\n"
     "  cb 16       409600 B = 100 x 4096 B, float32"},
    {"MissingReferenceFile", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: {file: "
     "gone.safetensors}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: "
     "tile}}",
     "run.yaml:11:103: steps.double.reference: gone.safetensors: cannot open: No such file or "
     "directory"},
    {"ReferenceOfNobody", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: 2 * z, "
     "in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:103: steps.double.reference: '2 * z': z is not an input of the step; its inputs "
     "are "
     "x"},
    {"NoStepWithCondition", "out: [y]", "out: [y], when: 0",
     "run.yaml:11:3: steps: no step runs: when and repeat leave out all of them; allowed: 1 or "
     "more"},
    {"NoStepOfARepetition", "out: [y]", "out: [y], repeat: {l: 0}",
     "run.yaml:11:3: steps: no step runs: when and repeat leave out all of them; allowed: 1 or "
     "more"},
    {"BesideAnEarlierStep", "set: {factor: 2}}\n",
     "set: {factor: 2}}\n  - {name: again, op: copy, beside: double, in: [x], out: [z]}\n",
     "run.yaml:12:12: steps.again.beside: no step double follows it"},
    {"KeyOfComputeOnAReader", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader, math_fidelity: "
     "HiFi2}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:104: steps.double.program.kernels[0].math_fidelity: has no effect on a kernel "
     "that moves data; allowed with on: compute"},
    {"KernelOnAnEmptyMap", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: {}}]}, in: [x], out: {y: "
     "{shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:81: steps.double.program.kernels[0].on: is empty, allowed: reader, writer, "
     "compute, or {riscv: riscv_0, noc: noc_1}"},
    {"ProgramWithoutUnits", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cores: {split_work_to_cores: 0}, cbs: {0: {}}, kernels: [{path: "
     "ops/scale/kernels/reader.cpp, on: reader}]}, in: [x], out: {y: {shape: [rows, columns], "
     "dtype: bfloat16, layout: tile}}",
     "run.yaml:11:59: steps.double.program.cores.split_work_to_cores: is 0; allowed: a whole "
     "number, 1 to 4294967295"},
    {"PagesOfZeroBytes", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cbs: {16: {pages: 2, page_size: 0}}, kernels: [{path: "
     "ops/scale/kernels/reader.cpp, on: reader}]}, in: [x], out: {y: {shape: [rows, columns], "
     "dtype: bfloat16, layout: tile}}",
     "run.yaml:11:62: steps.double.program.cbs.16.page_size: is 0; allowed: a whole number, 1 to "
     "4294967295"},
    {"ReferenceOfAStepWithoutInputs", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {kernels: [{path: ops/scale/kernels/reader.cpp, on: reader}]}, reference: 2 * x, "
     "out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:103: steps.double.reference: '2 * x': x is not an input of the step; its inputs "
     "are none"},
    {"BufferWithoutPages", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cbs: {16: {pages: 0}}, kernels: [{path: ops/scale/kernels/reader.cpp, on: "
     "reader}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:48: steps.double.program.cbs.16.pages: is 0; allowed: a whole number, 1 to "
     "4294967295"},
    {"BufferOfFewerPagesThanNone", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cbs: {16: {pages: -2}}, kernels: [{path: ops/scale/kernels/reader.cpp, on: "
     "reader}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:48: steps.double.program.cbs.16.pages: is -2; allowed: a whole number, 1 to "
     "4294967295"},
    {"BufferLargerThanL1", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cbs: {16: {pages: 2000, page_size: 2048}}, kernels: [{path: "
     "ops/scale/kernels/reader.cpp, on: "
     "reader}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:48: steps.double.program.cbs.16: 2000 pages of 2048 B; a core has 1499136 B of "
     "L1"},
    {"MoreCoresThanTheDevice", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cores: {grid: [9, 8]}, kernels: [{path: ops/scale/kernels/reader.cpp, on: "
     "reader}]}, in: [x], out: {y: {shape: [rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:44: steps.double.program.cores: a grid of [9, 8] at (0,0) exceeds the "
     "wormhole_n150's grid of [8, 8]"},
    {"TwoKernelsOnOneProcessor", "op: scale, in: [x], out: [y], set: {factor: 2}",
     "program: {cores: {grid: [1, 1]}, kernels: [{path: ops/scale/kernels/reader.cpp, on: "
     "reader}, {path: ops/scale/kernels/reader.cpp, on: reader}]}, in: [x], out: {y: {shape: "
     "[rows, columns], dtype: bfloat16, layout: tile}}",
     "run.yaml:11:120: steps.double.program.kernels[1]: CreateKernel: "
     "ops/scale/kernels/reader.cpp: core (0,0) already has kernel ops/scale/kernels/reader.cpp on "
     "RISCV_1; a core takes one kernel per processor"},
};

INSTANTIATE_TEST_SUITE_P(OneMistake, StepErrors, testing::ValuesIn(kMistakes),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tessera::test
