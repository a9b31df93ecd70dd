// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/key_reference.hpp"

#include <fmt/format.h>

#include <span>

#include "ops/registry.hpp"
#include "runtime/config/field_table.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/fields/tensor_fields.hpp"

namespace tessera::config {
namespace {

constexpr const char* kIndexHead = R"(# Configuration

For everybody who writes a run file. After this page you know where each key is described, how to
replace values of a file, and how to write expressions. `tessera list keys` prints these pages;
`tessera list keys --filter k_block` searches them, `tessera list keys --markdown DIR` writes them.

A run is one YAML file. It states what runs (`params`, `tensors`, `steps`), on which devices (`mesh`),
and how results are checked (`verify`):

```yaml
# twice.yaml
mesh: {device: wormhole_n150, shape: [1, 1]}
params: {M: 256, N: 512}
tensors:
  x: {shape: [M, N], dtype: bfloat16, layout: tile}
steps:
  - {name: twice, op: scale, in: [x], out: [y], set: {factor: 2}}
```

```
tessera run twice.yaml --set params.M=64
```

| page | keys |
|---|---|
| [Keys of a run](keys/run.md) | devices, checks, `params`, `steps`, outputs, reports |
| [Keys of a tensor](keys/tensors.md) | shape, format, memory, split over devices, origin of values |
| [Keys of a step](keys/steps.md) | op or program, inputs, outputs, devices, repetition |
| [Keys of a program](keys/programs.md) | cores, circular buffers, semaphores and kernels of your own |
| [Keys of a sweep](keys/sweep.md) | the block `sweep:` |
| [Device keys](device_keys.md) | a device file, and `arch.…` of a run file |

## Replacing values

- `--set key.path=value` replaces any value of a run: `--set params.tokens=64`,
  `--set steps.gate.set.k_block=8`.
- `extends: NAME` in a run file starts from another run file, in the same folder or shipped;
  `extends: [A, B]` from A with the values and further steps of B. Maps are
  merged key by key. A map of another kind replaces the old one: `origin: {file: …}` replaces
  `{random: normal}`, a step's `program` replaces its `op`, a tensor's `split` its `distribution`.
- `arch:` in a run file replaces numbers of the device model, each as `{value: …, source: …}`.
- `tessera explain FILE` prints each value with its origin. `tessera check FILE` tests all keys and the
  rules of all ops, and runs nothing.

Unknown keys, missing units and values that contradict each other are errors with file, line, column and
the nearest allowed name.

## Expressions

An expression computes a number from:

- names: params, `D` (devices of the mesh), `mesh.rows`, `mesh.columns`, `grid.columns` and `grid.rows`
  (worker cores);
- operators: `+ - * / % **`, comparisons, `&&`, `||`, `!`. Results of whole numbers are whole and exact, so
  that a division `/` must leave no remainder; with a decimal operand the result is a decimal;
- functions: `ceil_div(a, b)`, `floor_div(a, b)`, `round_up(a, b)`, `min(a, b)`, `max(a, b)`, and decimals:
  `ratio(a, b)`, `sqrt(x)`, `exp(x)`, `ln(x)`, `pow(a, b)` as `a ** b`.

Example: `softmax_scale: 1 / sqrt(qk_nope_head_dim + qk_rope_head_dim)`.

In names, `${expression}` is replaced by its value. Example: `shape: [ceil_div(tokens, D), hidden]`.

## Ops

Operands of an op share symbols: the same symbol is the same extent. `D` is the number of devices that
work together, `...` is any number of leading extents.

| op | summary |
|---|---|
)";

constexpr const char* kDeviceHead = R"(# Device keys

For readers who describe a device of their own, or who change one number of a shipped device. After
this page you know each key of a device file, its unit and its allowed range. `tessera list device-keys`
prints the page.

A device file has every key below. A file that starts with `extends: wormhole_n150` states only what
differs:

```yaml
extends: wormhole_n150
name: fast_links
timing:
  link:
    rate: {value: 25 GB/s, source: "assumed: twice the links"}
```

Each number is written as `{value: …, source: "…"}`; `range: [low, high]` is optional and states how
far the number may be off. A key has the prefix `arch.` in a run file and in `--set` of `run`:

```
tessera run moe_v2_tiny --set 'arch.timing.noc.link_rate={value: 16 B/cycle, source: "a slower NoC"}'
tessera explain moe_v2_tiny --filter arch.timing.noc
```

`tessera retime` and `tessera advise` take the keys without `arch.`, and `timing.` may be omitted:

```
tessera run moe_v2_tiny --trace t.trace --no-timing
tessera retime t.trace --set noc.link_rate="16 B/cycle"
```
)";

// Keys of a pipeline are bound by functions. Their rows name them for messages and for this page.
std::string table(std::span<const KeyRow> keys) {
    std::vector<FieldRow> rows;
    for (const KeyRow& key : keys) {
        rows.push_back({std::string(key.key), std::string(key.value), std::string(key.default_text),
                        std::string(key.prose)});
    }
    return to_markdown(rows);
}

std::string table(std::span<const Field> fields, const std::string& prefix = "") {
    return to_markdown(flatten(fields, prefix));
}

std::string section(const char* title, const std::string& body) {
    return fmt::format("\n## {}\n\n{}", title, body);
}

/// Returns a table for each kind of origin. The kinds come from the table that binds them, so the
/// page cannot lack one.
std::string origins() {
    std::string text;
    for (const OriginRow& row : kOriginRows) {
        const std::string word(row.word.empty() ? "…" : row.word);
        text += row.key.empty() ? fmt::format("\n`{}`\n", word)
                                : fmt::format("\n`{{{}: {}}}`\n", row.key, word);
        if (!row.fields.empty()) {
            text += "\n" + table(row.fields);
        }
    }
    return text;
}

std::string index_text() {
    std::string text = kIndexHead;
    // The list of ops is that of the registry, so that no op is without a line and a page.
    for (const ops::Op* op : ops::all_ops()) {
        text += fmt::format("| [`{0}`](ops/{0}.md) | {1} |\n", op->spec.name, op->spec.summary);
    }
    return text;
}

std::string run_text() {
    return "# Keys of a run\n\n"
           "Keys at the top of a run file. [Configuration](../configuration.md) has an example.\n" +
           section("Devices, host and checks", table(run_fields())) +
           section("Tensors, steps and outputs", table(kPipelineKeys)) +
           section("`report:`", table(kReportKeys)) +
           section("A param that is a map",
                   "`params: {M: 256}` states a number. A map states what is allowed, too:\n"
                   "`params: {M: {value: 256, range: [32, 1024]}}`.\n\n" +
                       table(kParamKeys));
}

std::string tensors_text() {
    return "# Keys of a tensor\n\n"
           "Keys of each tensor in `tensors:` of a run file, for example\n"
           "`x: {shape: [M, N], dtype: bfloat16, layout: tile, origin: {random: normal}}`.\n\n" +
           table(kTensorKeys) + section("`split:`", table(kSplitFields, "split.")) +
           section("`memory:`",
                   "For example `memory: l1`, or shards of 128 × 32 elements that go round the\n"
                   "banks of DRAM: `memory: {layout: block, shard: [128, 32]}`.\n\n" +
                       table(kMemoryFields, "memory.")) +
           section("`origin:`", "One of these forms:\n" + origins());
}

std::string steps_text() {
    return "# Keys of a step\n\n"
           "Keys of each step in `steps:` of a run file, for example\n"
           "`- {name: twice, op: scale, in: [x], out: [y], set: {factor: 2}}`.\n\n" +
           table(kStepKeys) +
           section("An optional input of a step that depends on params",
                   "For example `in: {rows: x, bias: {tensor: b, when: biased == 1}}`.\n\n" +
                       table(kInputKeys)) +
           section("An output of a step, if `out:` is a map",
                   "For example `out: {y: {memory: l1}}`.\n\n" + table(kOutputKeys)) +
           section("A tensor in the file of `--outputs`",
                   "Keys of each map in `outputs:` of a run file, for example\n"
                   "`outputs: [{tensor: y, as: result}]`.\n\n" +
                       table(kFileOutputKeys));
}

std::string programs_text() {
    return "# Keys of a program\n\n"
           "Keys of `program:` in a step: kernels of your own without host code.\n"
           "[Your first kernel](../first_kernel.md) is an example.\n\n" +
           table(kProgramKeys) + section("`cores:`", table(kCoresKeys)) +
           section("`cbs:`, each circular buffer", table(kBufferKeys)) +
           section("`semaphores:`, each semaphore", table(kSemaphoreKeys)) +
           section("`kernels:`, each kernel", table(kKernelKeys));
}

std::string sweep_text() {
    return "# Keys of a sweep\n\n"
           "Keys of the block `sweep:` of a sweep file. [Studies](../studies.md) describes sweeps; "
           "`configs/sweeps`\nhas examples.\n\n" +
           table(sweep_fields(), "sweep.");
}

}  // namespace

Page device_key_page() {
    return {"device_keys.md",
            kDeviceHead +
                section("The machine", to_markdown(flatten(arch_fields()), Defaults::Omitted)) +
                section("Its times",
                        to_markdown(flatten(timing_fields(), "timing."), Defaults::Omitted))};
}

std::vector<Page> key_pages() {
    std::vector<Page> pages{{"configuration.md", index_text()},    {"keys/run.md", run_text()},
                            {"keys/tensors.md", tensors_text()},   {"keys/steps.md", steps_text()},
                            {"keys/programs.md", programs_text()}, {"keys/sweep.md", sweep_text()}};
    // A page for each op: one page of all had 65.6 KB, in which `grid` was a key of 47 ops.
    for (const ops::Op* op : ops::all_ops()) {
        pages.push_back(op_page(*op));
    }
    return pages;
}

}  // namespace tessera::config
