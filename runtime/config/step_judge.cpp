// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/step_judge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::config {
namespace {

/// Returns "output (gate)", or the name alone if operand and tensor have the same.
std::string named(std::string_view operand, const std::string& tensor) {
    return tensor.empty() || operand == tensor ? std::string(operand)
                                               : fmt::format("{} ({})", operand, tensor);
}

/// Returns the first written value below a key that holds others: cores.grid of cores.
const ResolvedValue* first_below(const Resolved& resolved, const std::string& key) {
    const auto found = std::ranges::find_if(resolved, [&](const ResolvedValue& value) {
        return value.origin.kind != OriginKind::Default && value.path.starts_with(key + '.');
    });
    return found == resolved.end() ? nullptr : &*found;
}

}  // namespace

void StepJudge::require(bool holds, std::string_view blamed, const std::string& text) {
    if (holds) {
        return;
    }
    is_kept_ = false;
    for (const std::string_view group : {"set.", ""}) {
        const std::string path = fmt::format("steps.{}.{}{}", step_.name, group, blamed);
        if (const ResolvedValue* value = find(binder_.binding.resolved, path)) {
            // A default has no line of its own; the step is where a user would set it.
            const bool is_written = value->origin.kind != OriginKind::Default;
            binder_.rules.add(is_written ? value->origin : step_.place, path, text);
            return;
        }
    }
    const auto output = std::ranges::find(step_.op->spec.outputs, blamed, &ops::Operand::name);
    const auto index = static_cast<std::size_t>(output - step_.op->spec.outputs.begin());
    if (output != step_.op->spec.outputs.end() && index < step_.outputs.size()) {
        const pipeline::StepOutput& made = step_.outputs[index];
        binder_.rules.add(made.place, fmt::format("steps.{}.out", step_.name),
                          fmt::format("{} {}", named(blamed, made.name), text));
        return;
    }
    const auto input = std::ranges::find(step_.op->spec.inputs, blamed, &ops::Operand::name);
    const auto in = static_cast<std::size_t>(input - step_.op->spec.inputs.begin());
    const bool is_input = input != step_.op->spec.inputs.end() && in < step_.inputs.size();
    const std::string key = fmt::format("steps.{}.{}", step_.name, blamed);
    const ResolvedValue* part = is_input ? nullptr : first_below(binder_.binding.resolved, key);
    if (part != nullptr) {
        binder_.rules.add(part->origin, key, text);
        return;
    }
    binder_.rules.add(
        step_.inputs_place, fmt::format("steps.{}{}", step_.name, is_input ? ".in" : ""),
        fmt::format("{} {}", is_input ? named(blamed, step_.inputs[in]) : std::string(blamed),
                    text));
}

void StepJudge::require_as_maker(std::string_view parameter, const std::string& tensor,
                                 const std::string& maker) {
    const auto value_of = [&](const std::string& step) {
        return find(binder_.binding.resolved, fmt::format("steps.{}.set.{}", step, parameter));
    };
    const ResolvedValue* own = value_of(step_.name);
    const ResolvedValue* other = maker.empty() ? nullptr : value_of(maker);
    if (own != nullptr && other != nullptr) {
        require(own->text == other->text, parameter,
                fmt::format("is {}; allowed: {}, as of the step {} that makes {}; set both to the "
                            "same value",
                            own->text, other->text, maker, tensor));
    }
}

}  // namespace tessera::config
