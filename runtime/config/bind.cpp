// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/bind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/base/fields/enum_names.hpp"
#include "emu/base/fields/nearest.hpp"
#include "runtime/config/bind_fact.hpp"
#include "runtime/config/limits.hpp"
#include "runtime/config/read.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

/// Refuses keys without a row. A misspelt key that is ignored would run with the default instead,
/// and nothing would show it.
void refuse_unknown_keys(std::span<const Field> fields, std::span<const std::string_view> elsewhere,
                         const Node& node, const std::string& path, Violations& violations) {
    std::vector<std::string> known(elsewhere.begin(), elsewhere.end());
    for (const Field& field : fields) {
        known.emplace_back(field.key);
    }
    for (const Entry& entry : node.entries) {
        if (std::ranges::find(known, entry.key) == known.end()) {
            violations.add(entry.origin, path + entry.key,
                           fmt::format("unknown key, {}", correction(entry.key, known, path)));
        }
    }
}

/// Binds one value and its limits. The mistake has the position of the node at fault, which may be
/// an element of a list.
void bind_value(const Field& field, const Node& node, void* object, const std::string& path,
                Binding& binding) {
    auto mistake = field.set(node, object);
    if (!mistake) {
        mistake = check_limits(field, node, object);
    }
    if (mistake) {
        // Text that is neither a value nor an expression is one mistake, which its evaluation has
        // recorded.
        if (!binding.violations.has(mistake->origin, path)) {
            binding.violations.add(mistake->origin, path, mistake->text);
        }
        return;
    }
    binding.resolved.push_back(resolve(field, node, object, path));
}

/// Binds a key that the file does not have: its default, or a mistake if it is required.
void bind_absent(const Field& field, const Node& parent, void* object, const std::string& path,
                 Binding& binding) {
    if (field.kind == FieldKind::Section) {
        // An absent section is an empty one: its keys have their own defaults and requirements.
        const Node empty{.kind = NodeKind::Map, .origin = parent.origin};
        bind_fields(field.fields, empty, field.open(object), path + ".", binding);
    } else if (field.kind != FieldKind::Value || field.default_text == kRequired) {
        binding.violations.add(parent.origin, path, "required key is missing");
    } else {
        // Defaults are text in the tables, which the documentation prints, and pass the same parser
        // as a file's values: a default that is not allowed is a fault of Tessera.
        const Node node = read_text_at(std::string(field.default_text), Origin{});
        ensure(!field.set(node, object) && !check_limits(field, node, object),
               "default '{}' of {} is not allowed", field.default_text, path);
        binding.resolved.push_back(resolve(field, node, object, path));
    }
}

/// Binds a key by the kind of its field.
void bind_present(const Field& field, const Node& node, void* object, const std::string& path,
                  Binding& binding) {
    switch (field.kind) {
        case FieldKind::Value:
            return bind_value(field, node, object, path, binding);
        // Numbers of the architecture, each with a source.
        case FieldKind::Fact:
            return bind_fact(field, node, object, path, binding);
        case FieldKind::FactList:
            return bind_fact_list(field, node, object, path, binding);
        case FieldKind::FactMap:
            return bind_fact_map(field, node, object, path, binding);
        case FieldKind::Section:
            return bind_fields(field.fields, node, field.open(object), path + ".", binding);
    }
}

}  // namespace

void bind_fields(std::span<const Field> fields, const Node& node, void* object,
                 const std::string& path, Binding& binding,
                 std::span<const std::string_view> elsewhere) {
    if (node.kind != NodeKind::Map) {
        // `path` ends in a dot here; the root has no key.
        const std::string name = path.empty() ? "file" : path.substr(0, path.size() - 1);
        binding.violations.add(node.origin, name, "expected a map, found " + describe(node));
        return;
    }
    refuse_unknown_keys(fields, elsewhere, node, path, binding.violations);
    // In the order of the table, so that `explain` lists keys alike, whatever order a file has.
    for (const Field& field : fields) {
        const std::string key = path + std::string(field.key);
        const Node* value = node.find(field.key);
        if (value != nullptr) {
            bind_present(field, *value, object, key, binding);
        } else {
            bind_absent(field, node, object, key, binding);
        }
    }
}

}  // namespace tessera::config
