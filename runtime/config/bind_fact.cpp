// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/bind_fact.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/config/limits.hpp"

namespace tessera::config {
namespace {

constexpr std::string_view kAssumed = "assumed";
constexpr std::string_view kAssumedBecause = "assumed — ";

/// Nodes of a fact's parts.
struct FactNodes {
    const Node* value = nullptr;
    const Node* range = nullptr;
    Fact fact;
};

void refuse_other_keys(const Node& node, const std::string& path, Violations& violations) {
    for (const Entry& entry : node.entries) {
        if (entry.key != "value" && entry.key != "source" && entry.key != "range") {
            violations.add(entry.origin, path + "." + entry.key,
                           "unknown key, allowed: value, source, range");
        }
    }
}

/// Returns the source of a fact. A number without a source could not be checked by anybody else, so
/// it is refused; an assumption is a source if it has a reason.
std::optional<std::string> source_of(const Node& node, const std::string& path,
                                     Violations& violations) {
    const Node* source = node.find("source");
    if (source == nullptr || source->kind != NodeKind::Scalar || source->text.empty()) {
        violations.add(source == nullptr ? node.origin : source->origin, path + ".source",
                       "expected the document a value was taken from, or \"assumed — <reason>\"");
        return std::nullopt;
    }
    const std::string& text = source->text;
    // "assumed" alone says nothing that a reader could check; reports list all assumed constants.
    const bool has_reason =
        text.starts_with(kAssumedBecause) && text.size() > kAssumedBecause.size();
    if (text.starts_with(kAssumed) && !has_reason) {
        violations.add(source->origin, path + ".source",
                       "an assumption needs a reason: \"assumed — <reason>\"");
        return std::nullopt;
    }
    return text;
}

std::optional<FactNodes> open_fact(const Node& node, const std::string& path,
                                   Violations& violations) {
    // `--set arch.l1.size=1 MiB`: the command line is the source of its own numbers.
    if (node.origin.kind == OriginKind::Override && node.kind != NodeKind::Map) {
        return FactNodes{&node, nullptr, {node.origin.text, std::nullopt}};
    }
    if (node.kind != NodeKind::Map) {
        violations.add(node.origin, path,
                       "expected {value: …, source: …}, found " + describe(node));
        return std::nullopt;
    }
    refuse_other_keys(node, path, violations);
    const Node* value = node.find("value");
    if (value == nullptr) {
        violations.add(node.origin, path + ".value", "required key is missing");
    }
    auto source = source_of(node, path, violations);
    if (value == nullptr || !source) {
        return std::nullopt;
    }
    // `--set l1.size.value=…` leaves the file's source and range, which belong to the old value.
    const bool is_foreign = value->origin.kind == OriginKind::Override &&
                            node.find("source")->origin.kind != OriginKind::Override;
    if (is_foreign) {
        return FactNodes{value, nullptr, {value->origin.text, std::nullopt}};
    }
    return FactNodes{value, node.find("range"), {*source, std::nullopt}};
}

/// Returns a number of the range in base units. It is parsed through the member, so that an end of
/// a range has the units and limits of the value itself.
std::optional<double> bound_of(const Field& field, const Node& node, void* object,
                               const std::string& path, Violations& violations) {
    if (const auto mistake = field.set(node, object)) {
        violations.add(mistake->origin, path, mistake->text);
        return std::nullopt;
    }
    return std::stod(field.number(object));
}

/// Checks low ≤ value ≤ high and returns the range as text.
std::optional<std::string> range_of(const Field& field, const FactNodes& nodes, void* object,
                                    const std::string& path, Violations& violations) {
    const Node& range = *nodes.range;
    // Draws of constants need an order, which pairs and words do not have.
    if (!nlohmann::json::parse(field.number(object)).is_number()) {
        violations.add(range.origin, path + ".range", "only a single number has a range");
        return std::nullopt;
    }
    if (range.kind != NodeKind::Sequence || range.elements.size() != 2) {
        violations.add(range.origin, path + ".range",
                       "expected [low, high], found " + describe(range));
        return std::nullopt;
    }
    const auto low = bound_of(field, range.elements[0], object, path + ".range", violations);
    const std::string low_text = field.show(object);
    const auto high = bound_of(field, range.elements[1], object, path + ".range", violations);
    const std::string high_text = field.show(object);
    // Last, so that the member keeps the value and not an end of the range.
    const auto value = bound_of(field, *nodes.value, object, path, violations);
    if (!low || !high || !value) {
        return std::nullopt;
    }
    const std::string text = fmt::format("[{}, {}]", low_text, high_text);
    if (*value < *low || *value > *high) {
        violations.add(nodes.value->origin, path,
                       fmt::format("{} is outside its range {}", field.show(object), text));
        return std::nullopt;
    }
    return text;
}

}  // namespace

void bind_fact(const Field& field, const Node& node, void* object, const std::string& path,
               Binding& binding) {
    auto nodes = open_fact(node, path, binding.violations);
    if (!nodes) {
        return;
    }
    if (nodes->range != nullptr) {
        nodes->fact.range = range_of(field, *nodes, object, path, binding.violations);
        if (!nodes->fact.range) {
            return;
        }
    }
    auto mistake = field.set(*nodes->value, object);
    if (!mistake) {
        mistake = check_limits(field, *nodes->value, object);
    }
    if (mistake) {
        binding.violations.add(mistake->origin, path, mistake->text);
        return;
    }
    binding.resolved.push_back(resolve(field, *nodes->value, object, path));
    binding.resolved.back().fact = nodes->fact;
}

void bind_fact_list(const Field& field, const Node& node, void* object, const std::string& path,
                    Binding& binding) {
    const auto nodes = open_fact(node, path, binding.violations);
    if (!nodes) {
        return;
    }
    if (nodes->value->kind != NodeKind::Sequence) {
        binding.violations.add(nodes->value->origin, path,
                               "expected a list of maps, found " + describe(*nodes->value));
        return;
    }
    // The elements' values are recorded by bind_fields; the source is added to all of them below.
    const std::size_t first = binding.resolved.size();
    for (std::size_t i = 0; i < nodes->value->elements.size(); ++i) {
        bind_fields(field.fields, nodes->value->elements[i], field.open(object),
                    fmt::format("{}[{}].", path, i), binding);
    }
    for (std::size_t i = first; i < binding.resolved.size(); ++i) {
        binding.resolved[i].fact = nodes->fact;
    }
}

void bind_fact_map(const Field& field, const Node& node, void* object, const std::string& path,
                   Binding& binding) {
    if (node.kind != NodeKind::Map) {
        binding.violations.add(node.origin, path, "expected a map, found " + describe(node));
        return;
    }
    // Names of these facts are free: each function of the vector unit has its price.
    for (const Entry& entry : node.entries) {
        bind_fact(field.fields.front(), entry.value, field.open_named(object, entry.key),
                  fmt::format("{}.{}", path, entry.key), binding);
    }
}

}  // namespace tessera::config
