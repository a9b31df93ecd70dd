// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/key_reference.hpp"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "ops/registry.hpp"
#include "runtime/config/field_table.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/fields/tensor_fields.hpp"

namespace tessera::config {
namespace {

constexpr const char* kHead = R"(# Configuration

This page is what `tessera list keys` prints. A run is one YAML file: what runs (`params`, `tensors`,
`steps`), on what (`mesh`), and how it is checked. `--set key.path=value` replaces any value:
`--set params.tokens=64`, `--set steps.gate.set.k_block=8`, `--set arch.timing.noc.link_rate='16 B/cycle'`.
A file that says `extends: NAME` is laid over the run file of that name (beside it, or shipped), map
by map; a map of another kind replaces the old one (`origin: {file: …}` over `{random: normal}`, a
step's `program` over `op`, a tensor's `split` over `distribution`). Below `arch:` it may replace numbers of the device model, each as `{value: …, source: …}`;
an arch file may itself say `extends: wormhole_n150`. Unknown keys, missing units and values that do
not go together are refused with file, line and column, and the nearest name.

Expressions are whole numbers over the params, `D` (devices of the mesh), `mesh.rows`,
`mesh.columns`, `grid.columns` and `grid.rows` (worker cores), with `+ - * / %`, comparisons, `&&`,
`||`, `!`, `ceil_div(a, b)`, `floor_div(a, b)`, `round_up(a, b)`, `min(a, b)` and `max(a, b)`. `/`
must come out even. In names, `${expression}` is replaced by its value.
)";

constexpr const char* kDeviceHead = R"(# Device keys

This page is what `tessera list device-keys` prints. It is for readers who describe a device of their
own, or who change one number of a shipped device.

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

std::string operands(const char* side, std::span<const ops::Operand> operands) {
    std::string text;
    for (const ops::Operand& operand : operands) {
        text += fmt::format("- {} `{}`: {} {}, {}{}{}\n", side, operand.name, operand.shape,
                            operand.format, operand.layout,
                            operand.presence == ops::Presence::Optional ? ", optional" : "",
                            operand.valid_rows.empty()
                                ? ""
                                : fmt::format(", rows that count: `{}`", operand.valid_rows));
    }
    return text;
}

/// Returns operands and parameters of all registered ops, from their specs.
std::string ops_text() {
    std::string text;
    for (const ops::Op* op : ops::all_ops()) {
        text += fmt::format("\n### {}\n\n{}.\n\n{}{}", op->spec.name, op->spec.summary,
                            operands("in", op->spec.inputs), operands("out", op->spec.outputs));
        if (!op->params.fields.empty()) {
            text += "\n" + table(op->params.fields);
        }
    }
    return text;
}

}  // namespace

std::string device_key_reference() {
    return kDeviceHead +
           section("The machine", to_markdown(flatten(arch_fields()), Defaults::Omitted)) +
           section("Its times",
                   to_markdown(flatten(timing_fields(), "timing."), Defaults::Omitted));
}

std::string key_reference() {
    return kHead + section("A run", table(run_fields())) +
           section("What runs", table(kPipelineKeys)) +
           section("What reports say beside its steps", table(kReportKeys)) +
           section("A param that is more than a number", table(kParamKeys)) +
           section("A tensor", table(kTensorKeys)) +
           section("Its split", table(kSplitFields, "split.")) +
           section("Its memory", table(kMemoryFields, "memory.")) +
           section("Its origin", origins()) + section("A step", table(kStepKeys)) +
           section("An output of a step", table(kOutputKeys)) +
           section("A tensor of the file of outputs", table(kFileOutputKeys)) +
           section("A program", table(kProgramKeys)) + section("Its cores", table(kCoresKeys)) +
           section("Its circular buffers", table(kBufferKeys)) +
           section("Its semaphores", table(kSemaphoreKeys)) +
           section("Its kernels", table(kKernelKeys)) +
           section("Ops: operands and parameters", ops_text()) +
           section("A sweep", table(sweep_fields(), "sweep."));
}

}  // namespace tessera::config
