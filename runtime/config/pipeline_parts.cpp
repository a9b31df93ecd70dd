// SPDX-License-Identifier: Apache-2.0
// Binds the parts of a step whose op is made of other ops.
#include <algorithm>

#include "runtime/config/pipeline_binder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using pipeline::PipelineStep;
using pipeline::StepOutput;

/// Returns a node for a word, a number, or a list of them: "[1, 1]". Parts give parameters as the
/// text of a run file, so that they pass the same checks.
Node value_of(std::string_view text, const Origin& origin) {
    if (!text.starts_with('[')) {
        return {.kind = NodeKind::Scalar, .origin = origin, .text = std::string(text)};
    }
    Node list{.kind = NodeKind::Sequence, .origin = origin};
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(", "), text.size());
        list.elements.push_back(value_of(text.substr(0, end), origin));
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    return list;
}

/// Returns the tensor that a part calls `name`: the whole step's operand of that name, or a tensor
/// between the parts, which gets the step's name as its prefix.
std::string name_in(const PipelineStep& whole, const std::string& name) {
    const auto index_in = [&](std::span<const ops::Operand> operands) {
        return static_cast<std::size_t>(std::ranges::find(operands, name, &ops::Operand::name) -
                                        operands.begin());
    };
    const std::size_t input = index_in(whole.op->spec.inputs);
    const std::size_t output = index_in(whole.op->spec.outputs);
    return input < whole.inputs.size()     ? whole.inputs[input]
           : output < whole.outputs.size() ? whole.outputs[output].name
                                           : whole.name + "." + name;
}

StepOutput output_in(const PipelineStep& whole, const std::string& name) {
    const std::string tensor = name_in(whole, name);
    const auto own = std::ranges::find(whole.outputs, tensor, &StepOutput::name);
    return own != whole.outputs.end() ? *own : StepOutput{.name = tensor, .place = whole.place};
}

}  // namespace

std::optional<PipelineStep> bind_part(PipelineBinder& binder, const PipelineStep& whole,
                                      const ops::PartStep& part) {
    // Parts work on the devices of the whole step, and mistakes of theirs have its line.
    PipelineStep step{.name = whole.name + "." + part.name,
                      .op = binder.op(part.op),
                      .groups = whole.groups,
                      .first_core = whole.first_core,
                      .place = whole.place,
                      .inputs_place = whole.inputs_place};
    // Names of parts are written in ops, so an unknown one is Tessera's fault.
    ensure(step.op != nullptr, "part {} of {}: there is no op {}", part.name, whole.op->spec.name,
           part.op);
    for (const std::string& name : part.inputs) {
        // An operand that the part leaves out before others.
        step.inputs.push_back(name.empty() ? "" : name_in(whole, name));
    }
    for (std::size_t i = 0; i < part.outputs.size(); ++i) {
        step.outputs.push_back(output_in(whole, part.outputs[i]));
        // The run file places outputs of the whole step; the op places tensors between its parts.
        const bool is_own = step.outputs.back().name == whole.name + "." + part.outputs[i];
        if (is_own && i < part.workspaces.size() && !part.workspaces[i].empty()) {
            step.outputs.back().workspace = whole.name + "." + part.workspaces[i];
        }
    }

    Node set{.kind = NodeKind::Map, .origin = {.kind = OriginKind::Default}};
    for (const auto& [key, value] : part.set) {
        set.entries.push_back({key, set.origin, value_of(value, set.origin)});
    }
    Node node{.kind = NodeKind::Map, .origin = whole.place};
    node.entries.push_back({"set", node.origin, std::move(set)});
    // Parameters of parts pass the same checks as those of a run file, and `set:` reaches them,
    // too.
    bind_parameters(binder, node, binder.defaults == nullptr ? Node{} : *binder.defaults,
                    "steps." + step.name, binder.scope, step);
    return binder.binding.violations.empty() ? std::optional(std::move(step)) : std::nullopt;
}

}  // namespace tessera::config
