// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/pipeline_binder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emu/base/fields/nearest.hpp"
#include "ops/registry.hpp"
#include "runtime/steps/own_op.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {

using pipeline::Scope;

const Node& entry(const Node& map, std::string_view key) {
    // A null node, so that callers need no test for a missing key.
    static const Node kNothing{};
    const Node* found = map.find(key);
    return found == nullptr ? kNothing : *found;
}

std::string unknown_tensor(const std::string& tensor, const std::vector<std::string>& known) {
    return known.empty() ? fmt::format("there is no tensor {}", tensor)
                         : fmt::format("no tensor {} exists at this step, {}", tensor,
                                       correction(tensor, known));
}

bool PipelineBinder::is_word(const Node& node, const std::string& path,
                             std::string_view wanted) const {
    const bool holds = node.kind == NodeKind::Scalar && !node.text.empty();
    if (!holds) {
        mistake(node, path, fmt::format("expected {}, found {}", wanted, describe(node)));
    }
    return holds;
}

void PipelineBinder::guarded(const Node& node, const std::string& path,
                             const std::function<void()>& act) const {
    try {
        act();
        // Functions without a file position throw UsageError. The position is added here, and
        // binding continues, so one run of `check` shows all mistakes.
    } catch (const UsageError& error) {
        mistake(node, path, error.what());
    }
}

// Keys of a pipeline have no field; their text and JSON are given here.
void PipelineBinder::resolve(const Node& node, const std::string& path, const std::string& text,
                             const std::string& json) const {
    binding.resolved.push_back({.path = path,
                                .text = text,
                                .json = json,
                                .unit = "",
                                .origin = node.origin,
                                .fact = std::nullopt});
}

void PipelineBinder::resolve_word(const Node& node, const std::string& path,
                                  const std::string& text) const {
    resolve(node, path, text, nlohmann::json(text).dump());
}

void PipelineBinder::refuse_unknown(const Node& map, const std::string& path,
                                    std::span<const KeyRow> known) const {
    std::vector<std::string> words;
    for (const KeyRow& row : known) {
        words.emplace_back(row.key);
    }
    refuse_unknown(map, path, words);
}

void PipelineBinder::refuse_unknown(const Node& map, const std::string& path,
                                    const std::vector<std::string>& words) const {
    for (const Entry& key : map.entries) {
        if (std::ranges::find(words, key.key) == words.end()) {
            binding.violations.add(
                key.origin, path + key.key,
                fmt::format("unknown key, {}", correction(key.key, words, path)));
        }
    }
}

Node PipelineBinder::evaluated(const Node& node, const Scope& names) const {
    Node copy = node;
    if (node.kind == NodeKind::Scalar && node.style == ScalarStyle::Plain) {
        copy.text = pipeline::show(evaluate(node.text, names));
        // Quoted text is a name with ${…}, never an expression.
    } else if (node.kind == NodeKind::Scalar) {
        copy.text = substitute(node.text, names);
    }
    for (Node& element : copy.elements) {
        element = evaluated(element, names);
    }
    return copy;
}

namespace {

/// A comparison gives 1 or 0; a field of type bool takes words.
void show_as_bool(const Field& field, std::string& text) {
    if (field.allowed() == Value<bool>::allowed() && (text == "1" || text == "0")) {
        text = Value<bool>::show(text == "1");
    }
}

}  // namespace

Node PipelineBinder::evaluated(std::span<const Field> fields, const Node& node, void* object,
                               const std::string& path, const Scope& names) const {
    Node copy = node;
    for (Entry& key : copy.entries) {
        const auto field = std::ranges::find(fields, key.key, &Field::key);
        if (field == fields.end()) {
            continue;
        }
        if (field->kind == FieldKind::Section) {
            key.value = evaluated(field->fields, key.value, field->open(object),
                                  path + key.key + ".", names);
        } else if (field->set(key.value, object)) {
            // Not a value of the field, so it is an expression, or a mistake that evaluation or
            // binding reports. Values are tried first: `silu` is a choice, not an unknown name.
            guarded(key.value, path + key.key, [&] {
                key.value = evaluated(key.value, names);
                show_as_bool(*field, key.value.text);
            });
        }
    }
    return copy;
}

void PipelineBinder::load_ops(const Node& folders) {
    if (folders.kind != NodeKind::Sequence && folders.kind != NodeKind::Null) {
        mistake(folders, "ops", "expected a list of folders, found " + describe(folders));
        return;
    }
    for (const Node& folder : folders.elements) {
        if (!is_word(folder, "ops", "a folder")) {
            continue;
        }
        guarded(folder, "ops", [&] {
            // Entered before it loads: a step that uses an op that does not load is not an unknown
            // op, and would be a second message for one mistake.
            own_ops.try_emplace(std::filesystem::path(folder.text).filename().string());
            auto op = pipeline::load_own_op(target.file.parent_path() / folder.text);
            resolve_word(folder, fmt::format("ops.{}", op->spec.name), op->folder);
            own_ops.insert_or_assign(std::string(op->spec.name), std::move(op));
        });
    }
}

std::shared_ptr<const ops::Op> PipelineBinder::op(const std::string& name) const {
    const auto own = own_ops.find(name);
    if (own != own_ops.end()) {
        return own->second;
    }
    // Registered ops live as long as the program; the pointer does not own them.
    return {std::shared_ptr<const ops::Op>(), ops::find_op(name)};
}

// For "did you mean", the user's own ops first.
std::vector<std::string> PipelineBinder::op_names() const {
    std::vector<std::string> names;
    for (const auto& [name, op] : own_ops) {
        names.push_back(name);
    }
    for (const ops::Op* op : ops::all_ops()) {
        names.emplace_back(op->spec.name);
    }
    return names;
}

}  // namespace tessera::config
