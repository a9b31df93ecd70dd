// SPDX-License-Identifier: Apache-2.0
// Keys of a pipeline whose values are expressions or lists, so that no member of a struct holds
// them. Binders refuse all other keys; the pages in docs/keys list them.
#pragma once

#include <array>
#include <string_view>

#include "emu/base/fields/value.hpp"

namespace tessera::config {

struct KeyRow {
    std::string_view key;
    std::string_view value;
    std::string_view default_text;  ///< "required", or in YAML syntax
    std::string_view prose;
};

inline constexpr std::string_view kTileProse =
    "1, 2, 4, 8, 16 or 32 rows of 16 or 32 columns; ops accept and make [32, 32] only";

inline constexpr std::array kPipelineKeys{
    KeyRow{"params", "{name: value, …}", "{}", "named numbers and choices, which expressions use"},
    KeyRow{"groups", "{name: groups, …}", "{}",
           "named groups of devices: {box: [rows, columns]} for boxes that tile the mesh; {across: "
           "name} for the devices at the same place of all groups of that name; or lists such as "
           "[[0, 1], [2, 3]]"},
    KeyRow{"tensors", "{name: {…}, …}", "{}", "tensors that exist before the first step"},
    KeyRow{"steps", "[{name: …}, …]", "required", "steps in order; also a map by name"},
    KeyRow{"set", "{op: {key: value, …}, …}", "{}",
           "parameters of all steps of an op; the `set` of a step overrides them"},
    KeyRow{"workspaces", "{name: [tensor, …], …}", "{}",
           "outputs of steps that share one buffer; each uses it while it is needed"},
    KeyRow{"report", "{tokens, stages, memory}", "{}",
           "further figures of reports: tokens per second, sums over stages and over tensors"},
    KeyRow{"ops", "[folder, …]", "[]",
           "folders of ops from outside of the tree, which compile when they are first used"},
    KeyRow{"outputs", "[tensor, …] or [{tensor: …}, …]", "all outputs of steps",
           "tensors in the file of --outputs: d<i>.NAME, or NAME if all devices hold the same"},
    KeyRow{
        "output_names", "by_device or plain", "by_device",
        "plain: the file of --outputs of a run on one device uses NAME alone; several devices keep "
        "d<i>.NAME"},
    KeyRow{"seed", kAllOf64Bits, "1", "seed of all random values; also an expression"},
};

inline constexpr std::array kReportKeys{
    KeyRow{"tokens", "an expression", "0",
           "tokens that a run processes on all devices together; 0: not stated"},
    KeyRow{"stages", "{name: [pattern, …], …}", "{}",
           "stages of the run, each with patterns of step names; * matches any letters"},
    KeyRow{"memory", "{name: [pattern, …], …}", "{}",
           "shares of the memory of a device, each with patterns of tensor names"},
};

inline constexpr std::array kParamKeys{
    KeyRow{"value", "an expression, or a choice", "required",
           "value; it may use params that are defined above"},
    KeyRow{"choices", "[word, …] or op.key", "none",
           "allowed words, or those of a parameter of an op"},
    KeyRow{"range", "[least, most]", "none", "allowed range; both ends are expressions"},
    KeyRow{"divides", "[expression, …]", "none",
           "expressions that the param must divide; they may use params that are defined above"},
    KeyRow{"multiple_of", "an expression", "none",
           "factor that the value must have; an expression that may use params defined above"},
    KeyRow{"follows", "[param, …]", "none",
           "params that the value follows from; it cannot be set, only those can"},
    KeyRow{
        "present", "a tensor's name", "none",
        "the param is 1, or true if it has choices, if the file of --inputs has this tensor; the "
        "name may contain params and ${device}, which is 0"},
    KeyRow{"about", "text", "none", "description"},
};

inline constexpr std::array kTensorKeys{
    KeyRow{"shape", "[expression, …]", "required", "extents of the whole tensor"},
    KeyRow{"dtype", "a format", "required", "bfloat16, float32, bfp8_b, …, uint8"},
    KeyRow{"layout", "tile or row_major", "row_major", "whether a page is a tile or a row"},
    KeyRow{"tile", "[rows, columns]", "[32, 32]", kTileProse},
    KeyRow{"memory", "dram, l1 or {memory, layout, grid, orientation, shard}", "as the op wants it",
           "memory of a device that holds its pages"},
    KeyRow{"distribution", "replicated or each", "replicated",
           "replicated: all devices hold the same values; each: each device draws its own"},
    KeyRow{"split", "{axis, by, over, drop}", "none", "each device holds a part of an axis"},
    KeyRow{"origin", "an origin", "{random: normal}",
           "source of its values, unless the file of --inputs has the tensor"},
    KeyRow{"stored_as", "text", "its name",
           "its name in files of tensors; ${device} is the number of the device"},
    KeyRow{
        "packed", "true or false", "false",
        "whether files of inputs hold the bytes of its pages in memory, padding included, in any "
        "dtype and shape"},
    KeyRow{"persistent", "true or false", "false", "whether the file of --state keeps it"},
    KeyRow{"repeat", "{name: count}", "none",
           "one tensor for each value of name; ${name} in its keys is that value"},
    KeyRow{"when", "a condition", "true", "the tensor exists only if this holds"},
    KeyRow{"about", "text", "none", "description"},
};

inline constexpr std::array kStepKeys{
    KeyRow{"op", "a name", "required without program", "an op that `tessera list ops` shows"},
    KeyRow{"program", "{cores, cbs, semaphores, kernels}", "required without op",
           "kernels of your own, without host code"},
    KeyRow{
        "in", "[tensor, …] or {operand: tensor, …}", "[]",
        "inputs in the order of the op; a map may leave out optional inputs, or give one under a "
        "condition"},
    KeyRow{
        "out", "[tensor, …] or {tensor: {…}, …}", "required",
        "outputs; an op overwrites a tensor that exists; a program states shape and dtype of each"},
    KeyRow{"set", "{key: value, …}", "{}", "parameters of the op"},
    KeyRow{"devices", "all, rows, columns, each, a name of groups or [id, …]", "all",
           "devices that work together; with rows, columns, each or a name of `groups:`, all "
           "groups run at the same time"},
    KeyRow{"first_core", "[x, y]", "[0, 0]", "offset that is added to all cores of the program"},
    KeyRow{"launch", "a name", "the step's", "consecutive steps with one name share a launch"},
    KeyRow{"beside", "a step", "none",
           "runs on other cores in the launch of that later step, or of its part, such as beside: "
           "moe.dispatched"},
    KeyRow{"when", "a condition", "true", "the step runs only if this holds"},
    KeyRow{"repeat", "{name: count}", "none",
           "with `steps`: repeats them once for each value of name"},
    KeyRow{"steps", "[{name: …}, …]", "none", "steps that `repeat` repeats"},
    KeyRow{"about", "text", "none", "description"},
    KeyRow{"reference", "an expression or {file, tensor}", "none",
           "expected output of a program, such as gelu(x + bias)"},
};

inline constexpr std::array kFileOutputKeys{
    KeyRow{"tensor", "a name", "required", "output of a step"},
    KeyRow{"as", "text", "as of a plain name",
           "name in the file; ${device} is the number of the device, and without it the file "
           "holds the tensor of device 0"},
    KeyRow{"rows", "an expression", "all", "number of rows of its first axis"},
    KeyRow{"packed", "true or false", "false",
           "whether the file gets the bytes of its pages in memory, padding included: U8 (pages, "
           "bytes of a page)"},
    KeyRow{"join", "groups", "none",
           "joins the tensors of the first of these groups along the first axis"},
    KeyRow{"stack", "groups", "none", "stacks them along a new first axis"},
    KeyRow{"when", "a condition", "true", "the tensor is written only if this holds"},
};

inline constexpr std::array kInputKeys{
    KeyRow{"tensor", "a name", "required", "the input"},
    KeyRow{"when", "a condition", "required", "the step has the input only if this holds"},
};

inline constexpr std::array kOutputKeys{
    KeyRow{"shape", "[expression, …]", "as the op infers it", "required of a program"},
    KeyRow{"dtype", "a format", "as the op infers it", "required of a program"},
    KeyRow{"layout", "tile or row_major", "as the op infers it",
           "whether a page is a tile or a row"},
    KeyRow{"tile", "[rows, columns]", "[32, 32]", kTileProse},
    KeyRow{"memory", "dram, l1 or {…}", "as the op infers it",
           "memory of a device that holds its pages"},
};

inline constexpr std::array kProgramKeys{
    KeyRow{"cores", "{first, grid, split_work_to_cores}", "the whole grid",
           "cores that run the program"},
    KeyRow{"cbs", "{index: {…}, …}", "{}", "circular buffers"},
    KeyRow{"semaphores", "{name: initial, …}", "{}",
           "semaphores; the name stands for the id in arguments"},
    KeyRow{"kernels", "[{path: …}, …]", "required", "at most one per processor of a core"},
    KeyRow{"include", "[folder, …]", "[]",
           "folders, from that of the run file, in which kernels and the headers that they include "
           "are searched; as --include for one program"},
};

inline constexpr std::array kCoresKeys{
    KeyRow{"first", "[x, y]", "[0, 0]", "first core of the grid"},
    KeyRow{"grid", "[columns, rows]", "[0, 0]", "number of cores; [0, 0] is the whole grid"},
    KeyRow{"split_work_to_cores", "an expression", "none",
           "units of work to distribute over the grid; arguments may then use core.first, "
           "core.count, core.group, num_cores, units_per_core_group_1 and _2"},
};

inline constexpr std::string_view kCoresProse = "cores of the program that have it";

inline constexpr std::array kBufferKeys{
    KeyRow{"format", "a format", "bfloat16", "format of its elements"},
    KeyRow{"pages", "an expression", "2", "number of pages"},
    KeyRow{"tile", "[rows, columns]", "[32, 32]", kTileProse},
    KeyRow{"page_size", "an expression", "a tile", "bytes of a page"},
    KeyRow{"tensor", "a name", "none", "the buffer is the core's shard of this tensor"},
    KeyRow{"cores", "all, core_group_1, core_group_2 or [[[x, y], [x, y]], …]", "all", kCoresProse},
};

inline constexpr std::array kSemaphoreKeys{
    KeyRow{"initial", "an expression", "0", "value at the start of each launch"},
    KeyRow{"cores", "as of a CB", "all", kCoresProse},
};

inline constexpr std::array kKernelKeys{
    KeyRow{"path", "a file", "required",
           "path from the folder of the run file or from the current folder, or that of a "
           "built-in kernel"},
    KeyRow{"on", "reader, writer, compute or {riscv, noc}", "required", "processor and NoC"},
    KeyRow{"cores", "as of a CB", "all", kCoresProse},
    KeyRow{"compile_args", "[expression, …]", "[]",
           "compile-time arguments; accessor(x) inserts the words of TensorAccessorArgs of x"},
    KeyRow{"named_compile_args", "{name: expression, …}", "{}",
           "compile-time arguments that the kernel reads by name"},
    KeyRow{"args", "[expression, …]", "[]",
           "runtime arguments of each core, over params, core.x, core.y, core.index, core.first, "
           "core.count, core.group, address(x), tiles(x), pages(x), page_size(x), rows(x), "
           "columns(x), extent(x, i), virtual_x(x), virtual_y(y) and names of semaphores"},
    KeyRow{"common_args", "[expression, …]", "[]", "runtime arguments that all cores share"},
    KeyRow{"defines", "{NAME: text, …}", "{}", "macros of the preprocessor"},
    KeyRow{"math_fidelity", "LoFi, HiFi2, HiFi3 or HiFi4", "HiFi4", "for compute kernels"},
    KeyRow{"fp32_dest_acc", "true or false", "false", "32-bit DST, for compute kernels"},
    KeyRow{"math_approx_mode", "true or false", "false",
           "approximate SFPU functions, for compute kernels"},
};

}  // namespace tessera::config
