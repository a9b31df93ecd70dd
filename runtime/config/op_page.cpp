// SPDX-License-Identifier: Apache-2.0
// The page of one op: everything about it that is data. Its rules are functions; `tessera check`
// applies them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/field_table.hpp"
#include "runtime/config/key_reference.hpp"

namespace tessera::config {
namespace {

using ops::Operand;

/// Returns the words as a sentence: "a rotation of heads" becomes "A rotation of heads.".
std::string sentence(std::string_view words) {
    std::string text(words);
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text + ".";
}

/// Separates the formats of a contract.
constexpr std::string_view kBar = " | ";

/// Returns a format or layout of the contract in words, since a bar would end the cell of a table.
std::string choice_text(std::string_view choice) {
    if (choice.starts_with('=')) {
        return fmt::format("as `{}`", choice.substr(1));
    }
    if (choice.starts_with('!')) {
        return fmt::format("not that of `{}`", choice.substr(1));
    }
    std::string text(choice);
    const char* between = " or ";
    for (std::size_t bar = text.rfind(kBar); bar != std::string::npos; bar = text.rfind(kBar)) {
        text.replace(bar, kBar.size(), between);
        between = ", ";
    }
    return text;
}

// Checks leave out rows beyond the counts, so that the page names the tensor that has these.
std::string valid_rows_text(const Operand& operand) {
    switch (operand.rows_are) {
        case ops::ValidRows::OfEachMatrix:
            return fmt::format("`{}` counts the valid rows of each matrix", operand.valid_rows);
        case ops::ValidRows::Packed:
            return fmt::format("valid rows are packed; their number is the sum of `{}`",
                               operand.valid_rows);
        case ops::ValidRows::OfDevice:
            return fmt::format("`{}` counts the valid rows of each device", operand.valid_rows);
        case ops::ValidRows::OfColumn:
            return fmt::format("valid rows of a device: the sum of its column of `{}`",
                               operand.valid_rows);
    }
    return "";
}

std::string notes_of(const Operand& operand) {
    std::vector<std::string> notes;
    const auto add_if = [&](bool holds, std::string note) {
        if (holds) {
            notes.push_back(std::move(note));
        }
    };
    add_if(operand.presence == ops::Presence::Optional, "optional");
    add_if(!operand.valid_rows.empty(), valid_rows_text(operand));
    add_if(operand.lies == ops::Lies::Anyhow, "interleaved or in shards");
    add_if(operand.tiles == ops::Tiles::Any, "tiles of any allowed size");
    add_if(operand.replicas == ops::Replicas::Same, "the same bytes on each device");
    add_if(operand.host_read == ops::HostRead::Yes, "the host may read it before the launch");
    return fmt::format("{}", fmt::join(notes, "; "));
}

std::string operand_rows(std::string_view side, std::span<const Operand> operands) {
    std::string text;
    for (const Operand& operand : operands) {
        text += fmt::format("| {} `{}` | `{}` | {} | {} | {} |\n", side, operand.name,
                            operand.shape, choice_text(operand.format), choice_text(operand.layout),
                            notes_of(operand));
    }
    return text;
}

/// Returns `in:` of an example. It omits optional inputs, so that the others need their names.
std::string inputs_text(std::span<const Operand> inputs) {
    const bool all_required = std::ranges::all_of(
        inputs, [](const Operand& operand) { return operand.presence == ops::Presence::Required; });
    std::vector<std::string> names;
    for (const Operand& operand : inputs) {
        if (operand.presence == ops::Presence::Required) {
            names.push_back(all_required ? std::string(operand.name)
                                         : fmt::format("{0}: {0}", operand.name));
        }
    }
    return fmt::format(fmt::runtime(all_required ? "[{}]" : "{{{}}}"), fmt::join(names, ", "));
}

// The example has keys without a default only.
std::string required_parameters(const ops::Op& op) {
    std::vector<std::string> values;
    for (const FieldRow& row : flatten(op.params.fields)) {
        if (row.default_text == "required") {
            values.push_back(fmt::format("{}: …", row.path));
        }
    }
    return values.empty() ? "" : fmt::format(", set: {{{}}}", fmt::join(values, ", "));
}

std::string step_text(const ops::Op& op) {
    std::vector<std::string_view> outputs;
    for (const Operand& operand : op.spec.outputs) {
        outputs.push_back(operand.name);
    }
    return fmt::format("```yaml\n- {{name: step, op: {}, in: {}, out: [{}]{}}}\n```\n",
                       op.spec.name, inputs_text(op.spec.inputs), fmt::join(outputs, ", "),
                       required_parameters(op));
}

std::string tolerance_text(const ops::Tolerance& tolerance) {
    // Integers, and data that an op only moves, must have the bytes of the reference.
    if (tolerance.max_relative_error == 0) {
        return "Every element equals the reference.\n";
    }
    std::string text = fmt::format(
        "Largest error of an element: {:.3g} of max(|reference|, {:.3g} × rms of the reference). "
        "Least PCC:\n{}.\n",
        tolerance.max_relative_error + tolerance.formats, tolerance.floor, tolerance.min_pcc);
    if (!tolerance.summed.empty()) {
        text += fmt::format("Sums run over `{}`; a 16-bit DST adds to the allowed error.\n",
                            tolerance.summed);
    }
    return text + "[Verdicts](../verdicts.md) states what output formats and math fidelity add.\n";
}

}  // namespace

Page op_page(const ops::Op& op) {
    const ops::OpSpec& spec = op.spec;
    return {
        fmt::format("ops/{}.md", spec.name),
        fmt::format("# {}\n\n{}\n\n{}\n"
                    "| operand | shape | format | layout | notes |\n|---|---|---|---|---|\n{}{}\n"
                    "## Parameters\n\n{}\n"
                    "Schedules: {}.\n\n"
                    "## Tolerance\n\n{}",
                    spec.name, sentence(spec.summary), step_text(op),
                    operand_rows("in", spec.inputs), operand_rows("out", spec.outputs),
                    op.params.fields.empty() ? "None.\n" : to_markdown(flatten(op.params.fields)),
                    fmt::join(spec.schedules, ", "), tolerance_text(spec.tolerance))};
}

}  // namespace tessera::config
