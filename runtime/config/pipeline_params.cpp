// SPDX-License-Identifier: Apache-2.0
// Binds `params:` of a run file: numbers and words, with their ranges and choices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "ops/registry.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using pipeline::Scope;
using pipeline::show;

/// Returns a value as JSON: numbers stay numbers in reports.
std::string json_of(const pipeline::Value& value) {
    return std::visit([](const auto& held) { return nlohmann::json(held).dump(); }, value);
}

/// Returns the op and its parameter that choices name: `fused_moe.pf`.
std::pair<const ops::Op*, const Field*> parameter_of(const Node& choices) {
    const std::size_t dot = std::min(choices.text.find('.'), choices.text.size());
    const ops::Op* op = ops::find_op(choices.text.substr(0, dot));
    require(op != nullptr, "choices: {} is neither a list of words nor op.parameter, such as {}",
            choices.text, "fused_moe.pf");
    const std::string key = choices.text.substr(std::min(dot + 1, choices.text.size()));
    const auto field = std::ranges::find(op->params.fields, key, &Field::key);
    require(field != op->params.fields.end(), "choices: {} has no parameter '{}'", op->spec.name,
            key);
    return {op, &*field};
}

/// Returns the allowed words of a param: `[word, …]`, or those of an op's parameter,
/// `fused_moe.pf`. The second form keeps a list in a run file from differing from the op's table.
std::vector<std::string> words_of(const Node& choices) {
    std::vector<std::string> words;
    for (const Node& choice : choices.elements) {
        words.push_back(choice.text);
    }
    if (choices.kind != NodeKind::Scalar) {
        return words;
    }
    const Field* field = parameter_of(choices).second;
    // Enums have their words in this text only.
    std::string text = field->allowed();  // "a, b or c"
    if (const std::size_t last = text.rfind(" or "); last != std::string::npos) {
        text.replace(last, 4, ", ");
    }
    for (std::string_view allowed = text; !allowed.empty();) {
        const std::size_t end = std::min(allowed.find(", "), allowed.size());
        words.emplace_back(allowed.substr(0, end));
        allowed.remove_prefix(std::min(end + 2, allowed.size()));
    }
    return words;
}

/// Returns the op's own word for a choice: some values have a second name, such as that of a public
/// implementation. Expressions then compare with one name only.
pipeline::Value own_name(const Node& choices, const pipeline::Value& value) {
    if (choices.kind != NodeKind::Scalar || !std::holds_alternative<std::string>(value)) {
        return value;
    }
    const auto [op, field] = parameter_of(choices);
    ops::ParameterSet parameters = op->params.make();
    const Node node{.kind = NodeKind::Scalar, .text = show(value)};
    // A value that the op refuses is reported with the allowed words.
    return field->set(node, parameters.object())
               ? value
               : pipeline::Value(field->show(parameters.object()));
}

/// A wrong choice is a wrong key, not a broken rule: no point of a sweep may have it.
void check_choice(const PipelineBinder& binder, const Node& node, const std::string& path,
                  const Node& choices, const pipeline::Value& value) {
    if (choices.kind == NodeKind::Null) {
        return;
    }
    const std::vector<std::string> words = words_of(choices);
    if (words.empty()) {
        binder.mistake(choices, path + ".choices",
                       "expected [word, …], found " + describe(choices));
        return;
    }
    if (std::ranges::find(words, show(value)) == words.end()) {
        binder.mistake(node, path,
                       fmt::format("{}, allowed: {}", show(value), fmt::join(words, ", ")));
    }
}

bool is_range(const Node& range) {
    return range.kind == NodeKind::Sequence && range.elements.size() == 2;
}

/// Returns a bound of a range for a message: "8", or "experts (8)".
std::string bound_text(const std::string& bound, const Scope& scope) {
    const std::string value = show(evaluate(bound, scope));
    return value == bound ? bound : fmt::format("{} ({})", bound, value);
}

/// Says which numbers a param takes: "a number", or "a number from 1 to experts (8)".
std::string number_of_range(const Node& range, const Scope& scope) {
    return is_range(range)
               ? fmt::format("a number from {} to {}", bound_text(range.elements[0].text, scope),
                             bound_text(range.elements[1].text, scope))
               : "a number";
}

/// Errors   UsageError unless the bound is a number.
void require_number(const std::string& bound, const Scope& scope) {
    const pipeline::Value value = evaluate(bound, scope);
    require(!std::holds_alternative<std::string>(value), "range: {} is a word, allowed: numbers",
            show(value));
}

/// Returns the message for a value outside its range; nothing if it is inside.
std::optional<std::string> range_refusal(const Node& range, const pipeline::Value& value,
                                         const Scope& scope) {
    const std::string& least = range.elements[0].text;
    const std::string& most = range.elements[1].text;
    const std::string text = show(value);
    require_number(least, scope);
    require_number(most, scope);
    // A bound may be a comparison or a sum, so that each has parentheses of its own.
    if (evaluate_condition(fmt::format("{0} >= ({1}) && {0} <= ({2})", text, least, most), scope)) {
        return std::nullopt;
    }
    return fmt::format("{} is out of range, allowed: {} to {}", text, bound_text(least, scope),
                       bound_text(most, scope));
}

/// Checks a range before the mesh is known. A range that uses the mesh, such as [1, grid.columns],
/// cannot be evaluated yet and is checked when params are bound.
std::optional<std::string> early_refusal(const Node& range, const pipeline::Value& value,
                                         const Scope& scope) {
    try {
        return is_range(range) ? range_refusal(range, value, scope) : std::nullopt;
    } catch (const UsageError&) {
        return std::nullopt;
    }
}

// Records a value outside its range as a broken rule, not as a wrong key: points of a sweep may
// break it and are then impossible.
void check_range(const PipelineBinder& binder, const Node& node, const std::string& path,
                 const Node& range, const pipeline::Value& value) {
    if (range.kind == NodeKind::Null) {
        return;
    }
    if (!is_range(range)) {
        binder.mistake(range, path + ".range", "expected [least, most], found " + describe(range));
        return;
    }
    if (const auto refusal = range_refusal(range, value, binder.scope)) {
        binder.rules.add(node.origin, path, *refusal);
    }
}

/// Returns a value that divides or is divided; nothing if a message says that it is none of those
/// numbers, or if it is outside its range anyway.
std::optional<std::int64_t> whole_of(const PipelineBinder& binder, const Node& node,
                                     const std::string& path, const pipeline::Value& value,
                                     std::int64_t least) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (whole != nullptr && *whole >= least) {
        return *whole;
    }
    if (!binder.rules.has(node.origin, path)) {
        binder.rules.add(node.origin, path,
                         fmt::format("{}, allowed: whole numbers from {}", show(value), least));
    }
    return std::nullopt;
}

// Checks `divides:`, as for heads over devices. Stated in the file, so that the message names the
// params that a user sets and not the shape that follows from them.
void check_divides(const PipelineBinder& binder, const Node& node, const std::string& path,
                   const Node& others, const pipeline::Value& value) {
    if (others.kind != NodeKind::Sequence && others.kind != NodeKind::Null) {
        binder.mistake(others, path + ".divides", "expected a list, found " + describe(others));
    }
    if (others.elements.empty()) {
        return;
    }
    const auto divisor = whole_of(binder, node, path, value, 1);
    if (!divisor) {
        return;
    }
    for (const Node& element : others.elements) {
        const std::string& other = element.text;
        const std::int64_t dividend = pipeline::evaluate_integer(other, binder.scope);
        if (dividend % *divisor != 0) {
            binder.rules.add(
                node.origin, path,
                fmt::format("{} does not divide {}, which is {}", show(value), other, dividend));
        }
    }
}

// Checks `multiple_of:`, as for tokens in two halves, in the params that a user sets.
void check_multiple(const PipelineBinder& binder, const Node& node, const std::string& path,
                    const Node& factor, const pipeline::Value& value) {
    if (factor.kind == NodeKind::Null) {
        return;
    }
    const std::int64_t divisor = pipeline::evaluate_integer(factor.text, binder.scope);
    if (divisor < 1) {
        binder.mistake(factor, path + ".multiple_of",
                       bound_text(factor.text, binder.scope) + ", allowed: 1 or more");
        return;
    }
    const auto whole = whole_of(binder, node, path, value, 0);
    if (whole && *whole % divisor != 0) {
        binder.rules.add(node.origin, path,
                         fmt::format("{}, allowed: multiples of {}", show(value),
                                     bound_text(factor.text, binder.scope)));
    }
}

// A value of its own for a param that follows from others would contradict them.
void check_follows(const PipelineBinder& binder, const Node& node, const std::string& path,
                   const Node& others) {
    if (others.kind == NodeKind::Null) {
        return;
    }
    if (others.kind != NodeKind::Sequence || others.elements.empty()) {
        binder.mistake(others, path + ".follows", "expected [param, …], found " + describe(others));
        return;
    }
    for (const Node& other : others.elements) {
        if (binder.scope.find(other.text) == nullptr) {
            binder.mistake(
                other, path + ".follows",
                fmt::format("{}, allowed: params that are defined above", describe(other)));
        }
    }
    const Origin& written = others.elements.front().origin;
    if (node.origin.kind == written.kind && node.origin.text == written.text) {
        return;
    }
    std::vector<std::string> names;
    for (const Node& other : others.elements) {
        names.push_back("params." + other.text);
    }
    binder.mistake(
        node, path,
        fmt::format("{}, allowed: no value, because it follows from {}; set {}", node.text,
                    fmt::join(names, ", "), names.size() == 1 ? "that" : "one of them"));
}

/// Returns the value of a param; nothing if it is refused.
std::optional<pipeline::Value> value_of_param(PipelineBinder& binder, const Entry& param,
                                              const std::string& path) {
    const bool is_map = param.value.kind == NodeKind::Map;
    const Node* value = is_map ? param.value.find("value") : &param.value;
    if (is_map) {
        binder.refuse_unknown(param.value, path + ".", kParamKeys);
    }
    if (value == nullptr || value->kind != NodeKind::Scalar) {
        binder.mistake(
            param.value, path,
            "expected a number, a word or {value: …, choices: …}, found " + describe(param.value));
        return std::nullopt;
    }
    std::optional<pipeline::Value> bound;
    binder.guarded(*value, path, [&] {
        const Node& choices = entry(param.value, "choices");
        const pipeline::Value held = own_name(choices, evaluate(value->text, binder.scope));
        if (std::holds_alternative<std::string>(held) && choices.kind == NodeKind::Null) {
            throw UsageError(
                fmt::format("'{}' is a word; allowed: {}", value->text,
                            is_map ? number_of_range(entry(param.value, "range"), binder.scope)
                                   : "a number, or {value: …, choices: […]}"));
        }
        check_choice(binder, *value, path, choices, held);
        check_range(binder, *value, path, entry(param.value, "range"), held);
        check_divides(binder, *value, path, entry(param.value, "divides"), held);
        check_multiple(binder, *value, path, entry(param.value, "multiple_of"), held);
        check_follows(binder, *value, path, entry(param.value, "follows"));
        binder.spec.params.push_back(
            {param.key, held, entry(param.value, "follows").kind != NodeKind::Null});
        binder.resolve(*value, path, show(held), json_of(held));
        bound = held;
    });
    return bound;
}

}  // namespace

// A param is a value alone, or a map with its choices, range and divisors.
void bind_param(PipelineBinder& binder, const Entry& param) {
    const std::string path = "params." + param.key;
    if (binder.scope.find(param.key) != nullptr) {
        binder.mistake(param.value, path,
                       "is a name of the machine, which expressions use; allowed: another name");
        return;
    }
    // It has no value before: its own expressions would use that.
    const std::optional<pipeline::Value> held = value_of_param(binder, param, path);
    // A refused param has a value nevertheless, so that its uses are not unknown names.
    binder.scope.set(param.key, held.value_or(std::int64_t{1}));
}

Scope params_without_mesh(const Node& root) {
    Scope scope;
    for (const Entry& param : entry(root, "params").entries) {
        scope.announce(param.key);
    }
    for (const Entry& param : entry(root, "params").entries) {
        const Node* value =
            param.value.kind == NodeKind::Map ? param.value.find("value") : &param.value;
        if (value == nullptr) {
            continue;
        }
        try {
            scope.set(param.key, evaluate(value->text, scope));
        } catch (const UsageError&) {
            continue;  // it uses the mesh itself, or is refused when params are bound
        }
    }
    return scope;
}

std::vector<std::string> evaluate_mesh_shape(Node& root) {
    Node* mesh = root.find("mesh");
    Node* shape = mesh == nullptr ? nullptr : mesh->find("shape");
    const Node* params = root.find("params");
    std::vector<std::string> used;
    if (shape == nullptr || params == nullptr) {
        return used;
    }
    // Params are bound after the mesh, whose size their expressions may use; an extent of the mesh
    // may in turn be a param. So the params that need no mesh are evaluated here first.
    const Scope scope = params_without_mesh(root);
    Violations violations;
    for (Node& extent : shape->elements) {
        // Only plain names of params: other expressions of `mesh.shape` are refused by the field's
        // parser.
        const Node* param = params->find(extent.text);
        if (param == nullptr) {
            continue;
        }
        const pipeline::Value value = evaluate(extent.text, scope);
        if (const auto refusal = early_refusal(entry(*param, "range"), value, scope)) {
            violations.add(entry(*param, "value").origin, "params." + extent.text, *refusal);
        }
        used.push_back(extent.text);
        extent.text = show(value);
    }
    violations.throw_if_any();
    return used;
}

}  // namespace tessera::config
