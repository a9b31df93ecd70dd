// SPDX-License-Identifier: Apache-2.0
// The keys of a pipeline whose values are expressions or lists, which no struct's member stands
// for. Binders refuse all others; docs/configuration.md lists them.
#pragma once

#include <array>
#include <string_view>

namespace tessera::config {

struct KeyRow {
    std::string_view key;
    std::string_view value;
    std::string_view default_text;  ///< "required", or as YAML would have it
    std::string_view prose;
};

inline constexpr std::string_view kTileProse =
    "1, 2, 4, 8, 16 or 32 rows of 16 or 32 columns; ops take and make [32, 32] only";

inline constexpr std::array kPipelineKeys{
    KeyRow{"params", "{name: value, …}", "{}", "named numbers and choices, in expressions by name"},
    KeyRow{"groups", "{name: groups, …}", "{}",
           "groups of devices by name: {box: [rows, columns]}, boxes that tile the mesh; {across: "
           "name}, the devices at one place of all groups of that name; or lists [[0, 1], [2, 3]]"},
    KeyRow{"tensors", "{name: {…}, …}", "{}", "what the steps start from"},
    KeyRow{"steps", "[{name: …}, …]", "required", "what is done, in order; also a map by name"},
    KeyRow{"set", "{op: {key: value, …}, …}", "{}",
           "parameters of all steps of an op; a step's own stand before them"},
    KeyRow{"workspaces", "{name: [tensor, …], …}", "{}",
           "tensors that steps make and that share one buffer, each while it is needed"},
    KeyRow{"report", "{tokens, stages, memory}", "{}",
           "what reports say beside the steps: tokens a second, and sums over stages and tensors"},
    KeyRow{"ops", "[folder, …]", "[]", "ops from outside of the tree, compiled when first used"},
    KeyRow{"outputs", "[tensor, …] or [{tensor: …}, …]", "all that steps make",
           "tensors of --outputs: d<i>.NAME, or NAME where every device holds the same"},
    KeyRow{"output_names", "by_device or plain", "by_device",
           "plain: on a mesh of one device, tensors of --outputs are called NAME"},
    KeyRow{"seed", "a whole number of 64 bits", "1", "of all random values; also an expression"},
};

inline constexpr std::array kReportKeys{
    KeyRow{"tokens", "an expression", "0", "that a run works on, over all devices; 0: not said"},
    KeyRow{"stages", "{name: [pattern, …], …}", "{}",
           "stages of the run, each with patterns of its steps' names; * stands for any letters"},
    KeyRow{"memory", "{name: [pattern, …], …}", "{}",
           "what the memory of each device holds, with patterns of the tensors' names"},
};

inline constexpr std::array kParamKeys{
    KeyRow{"value", "an expression, or a choice", "required", "over the params above it"},
    KeyRow{"choices", "[word, …] or op.key", "none",
           "the words that the param may be, or those of an op's parameter"},
    KeyRow{"range", "[least, most]", "none", "expressions"},
    KeyRow{"divides", "[expression, …]", "none", "over the params above it, which it divides"},
    KeyRow{"about", "text", "none", "what it means"},
};

inline constexpr std::array kTensorKeys{
    KeyRow{"shape", "[expression, …]", "required", "extents of the whole"},
    KeyRow{"dtype", "a format", "required", "bfloat16, float32, bfp8_b, …, uint8"},
    KeyRow{"layout", "tile or row_major", "row_major", "pages are tiles or rows"},
    KeyRow{"tile", "[rows, columns]", "[32, 32]", kTileProse},
    KeyRow{"memory", "dram, l1 or {memory, layout, grid, orientation}", "as the op wants it",
           "where its pages lie on a device"},
    KeyRow{"distribution", "replicated or each", "replicated",
           "each device holds the same values, or draws its own"},
    KeyRow{"split", "{axis, by, over, drop}", "none", "each device holds its part of an axis"},
    KeyRow{"origin", "an origin", "{random: normal}",
           "where its values come from, unless --inputs has the tensor"},
    KeyRow{"stored_as", "text", "its name",
           "its name in files of tensors; ${device} stands for the device's number"},
    KeyRow{"persistent", "true or false", "false", "outlives the run in the file of --state"},
    KeyRow{"repeat", "{name: count}", "none", "once for each value of name; ${name} in its own"},
    KeyRow{"when", "a condition", "true", "left out where it does not hold"},
    KeyRow{"about", "text", "none", "what it is"},
};

inline constexpr std::array kStepKeys{
    KeyRow{"op", "a name", "required without program", "as `tessera list ops` shows it"},
    KeyRow{"program", "{cores, cbs, semaphores, kernels}", "required without op",
           "kernels of one's own, without host code"},
    KeyRow{"in", "[tensor, …] or {operand: tensor, …}", "[]",
           "inputs, in the op's order; a map may leave out optional ones"},
    KeyRow{"out", "[tensor, …] or {tensor: {…}, …}", "required",
           "outputs; one that is there already is written in place"},
    KeyRow{"set", "{key: value, …}", "{}", "parameters of the op"},
    KeyRow{"devices", "all, rows, columns, each, a name of groups or [id, …]", "all",
           "devices that work together; rows, columns, each and those of `groups:` work side by "
           "side"},
    KeyRow{"first_core", "[x, y]", "[0, 0]", "by which the program's cores are moved"},
    KeyRow{"launch", "a name", "the step's", "neighbours with one name share a launch"},
    KeyRow{"beside", "a step", "none",
           "runs in the launch of that step, which is below it or a part of one (moe.dispatched), "
           "on cores of its own"},
    KeyRow{"when", "a condition", "true", "left out where it does not hold"},
    KeyRow{"repeat", "{name: count}", "none", "with steps: these once for each value of name"},
    KeyRow{"steps", "[{name: …}, …]", "none", "the steps that are repeated"},
    KeyRow{"about", "text", "none", "what it does"},
    KeyRow{"reference", "an expression or {file, tensor}", "none",
           "of a program: what its output should be, gelu(x + bias)"},
};

inline constexpr std::array kFileOutputKeys{
    KeyRow{"tensor", "a name", "required", "of a step's output"},
    KeyRow{"as", "text", "as of a plain name",
           "its name in the file, ${device} being the device's number; without it, of device 0"},
    KeyRow{"rows", "an expression", "all", "of its first axis"},
    KeyRow{"join", "groups", "none",
           "the tensors of the first of these groups, one behind the other along the first axis"},
    KeyRow{"stack", "groups", "none", "the same along a new first axis"},
    KeyRow{"when", "a condition", "true", "left out where it does not hold"},
};

inline constexpr std::array kOutputKeys{
    KeyRow{"shape", "[expression, …]", "as the op infers it", "required of a program"},
    KeyRow{"dtype", "a format", "as the op infers it", "required of a program"},
    KeyRow{"layout", "tile or row_major", "as the op infers it", "pages are tiles or rows"},
    KeyRow{"tile", "[rows, columns]", "[32, 32]", kTileProse},
    KeyRow{"memory", "dram, l1 or {…}", "as the op infers it", "where its pages lie"},
};

inline constexpr std::array kProgramKeys{
    KeyRow{"cores", "{first, grid, split_work_to_cores}", "the whole grid", "cores that it is on"},
    KeyRow{"cbs", "{index: {…}, …}", "{}", "circular buffers"},
    KeyRow{"semaphores", "{name: initial, …}", "{}", "its name is its id in arguments"},
    KeyRow{"kernels", "[{path: …}, …]", "required", "at most one on a processor of a core"},
};

inline constexpr std::array kCoresKeys{
    KeyRow{"first", "[x, y]", "[0, 0]", "of the grid"},
    KeyRow{"grid", "[columns, rows]", "[0, 0]", "[0, 0] is the whole grid"},
    KeyRow{"split_work_to_cores", "an expression", "none",
           "units dealt to the grid: core.first, core.count, core.group, num_cores, "
           "units_per_core_group_1 and _2"},
};

inline constexpr std::array kBufferKeys{
    KeyRow{"format", "a format", "bfloat16", "of its elements"},
    KeyRow{"pages", "an expression", "2", "how many it holds"},
    KeyRow{"tile", "[rows, columns]", "[32, 32]", kTileProse},
    KeyRow{"page_size", "an expression", "a tile", "bytes"},
    KeyRow{"tensor", "a name", "none", "lies over the core's shard of it"},
    KeyRow{"cores", "all, core_group_1, core_group_2 or [[[x, y], [x, y]], …]", "all", ""},
};

inline constexpr std::array kSemaphoreKeys{
    KeyRow{"initial", "an expression", "0", "at every launch"},
    KeyRow{"cores", "as of a CB", "all", ""},
};

inline constexpr std::array kKernelKeys{
    KeyRow{"path", "a file", "required", "beside the run file, from here, or a built-in kernel's"},
    KeyRow{"on", "reader, writer, compute or {riscv, noc}", "required", "its processor and NoC"},
    KeyRow{"cores", "as of a CB", "all", ""},
    KeyRow{"compile_args", "[expression, …]", "[]",
           "accessor(x) gives the words of TensorAccessorArgs of x"},
    KeyRow{"args", "[expression, …]", "[]",
           "of each core: params, core.x, core.y, core.index, core.first, core.count, core.group, "
           "address(x), tiles(x), pages(x), page_size(x), rows(x), columns(x), extent(x, i), "
           "virtual_x(x), virtual_y(y), a semaphore's name"},
    KeyRow{"common_args", "[expression, …]", "[]", "of all cores"},
    KeyRow{"defines", "{NAME: text, …}", "{}", "of the preprocessor"},
    KeyRow{"math_fidelity", "LoFi, HiFi2, HiFi3 or HiFi4", "HiFi4", "of compute kernels"},
    KeyRow{"fp32_dest_acc", "true or false", "false", "of compute kernels: 32-bit DST"},
    KeyRow{"math_approx_mode", "true or false", "false", "of compute kernels"},
};

}  // namespace tessera::config
