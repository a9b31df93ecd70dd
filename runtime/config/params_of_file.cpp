// SPDX-License-Identifier: Apache-2.0
// Params that follow from the tensors of a file of inputs: sizes from shapes, and `present:`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "runtime/config/override.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "runtime/config/pipeline_file.hpp"
#include "runtime/steps/expression.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {

namespace {

/// Returns the name in a file, for the first device. A name that uses the mesh stays as it is.
std::string name_in_file(const std::string& pattern, const pipeline::Scope& names) {
    try {
        return pipeline::substitute(pattern, names);
    } catch (const UsageError&) {
        return pattern;
    }
}

/// A param that an extent of a tensor gives: the extent, or a multiple of it.
struct GivenParam {
    std::string name;
    std::uint64_t factor = 1;
};

/// Returns the param of an extent `name` or `name / number`, if it is one. A param that follows from
/// others has no value of its own: the tensor is checked against it when it is read.
std::optional<GivenParam> param_of(const Node& params, const std::string& extent) {
    GivenParam given{.name = extent};
    if (const std::size_t sign = extent.find(" / "); sign != std::string::npos) {
        given.name = extent.substr(0, sign);
        const std::string number = extent.substr(sign + 3);
        const auto end =
            std::from_chars(number.data(), number.data() + number.size(), given.factor);
        if (end.ec != std::errc() || end.ptr != number.data() + number.size()) {
            return std::nullopt;
        }
    }
    const Node* param = params.find(given.name);
    const bool is_free = param != nullptr && param->find("follows") == nullptr;
    return is_free ? std::optional(given) : std::nullopt;
}

/// Returns whether a tensor is one of the run with these params; a condition that cannot be
/// evaluated yet does not exclude it.
bool is_wanted(const Node& tensor, const pipeline::Scope& names) {
    const Node* when = tensor.find("when");
    try {
        return when == nullptr || pipeline::evaluate_condition(when->text, names);
    } catch (const UsageError&) {
        return true;
    }
}

/// Shapes of the tensors in a file.
struct StoredShapes {
    std::span<const NamedShape> shapes;
    const std::string& file;

    /// Returns null if the file has no tensor of this name.
    [[nodiscard]] const NamedShape* find(const std::string& pattern,
                                         const pipeline::Scope& names) const {
        const auto found =
            std::ranges::find(shapes, name_in_file(pattern, names), &NamedShape::name);
        return found == shapes.end() ? nullptr : &*found;
    }
};

/// Returns the names that a file's tensors may use, as of the first device.
pipeline::Scope names_of(const Node& root) {
    pipeline::Scope names = params_without_mesh(root);
    names.set("device", std::int64_t{0});
    return names;
}

/// Returns overrides of the params with `present:` whose tensor is in the file.
std::vector<Override> present_params(const Node& root, const StoredShapes& stored) {
    std::vector<Override> overrides;
    const pipeline::Scope names = names_of(root);
    for (const Entry& param : entry(root, "params").entries) {
        const Node& present = entry(param.value, "present");
        if (present.kind == NodeKind::Scalar && stored.find(present.text, names) != nullptr) {
            // A param with choices is true or false, as in a model's own files; else it is a
            // number.
            const bool is_word = param.value.find("choices") != nullptr;
            overrides.push_back({"params." + param.key, is_word ? "true" : "1",
                                 fmt::format("{}: {}", stored.file, present.text)});
        }
    }
    return overrides;
}

const std::vector<Node>& extents_of(const Entry& tensor) {
    return entry(tensor.value, "shape").elements;
}

/// Adds overrides of the params that a tensor's extents give, unless a tensor before it gave them.
void add_sizes(const Node& root, const Entry& tensor, const NamedShape& stored,
               const std::string& file, std::vector<Override>& overrides) {
    // A param of 0 would be refused later with a message about the param, not about the file.
    require(num_elements(stored.shape) > 0, "{}: {}: shape {}, allowed: no extent of 0", file,
            tensor.key, tessera::to_string(stored.shape));
    // Only a param or a quotient of it sets a param: other expressions have no inverse.
    for (std::size_t i = 0; i < stored.shape.size(); ++i) {
        const auto param = param_of(entry(root, "params"), extents_of(tensor)[i].text);
        const std::string path = "params." + (param ? param->name : "");
        if (param && std::ranges::find(overrides, path, &Override::path) == overrides.end()) {
            overrides.push_back({path, std::to_string(stored.shape[i] * param->factor),
                                 fmt::format("{}: {}", file, tensor.key)});
        }
    }
}

}  // namespace

std::vector<Override> params_of_shapes(const Node& root, std::span<const NamedShape> shapes,
                                       const std::string& file) {
    const StoredShapes stored{shapes, file};
    std::vector<Override> overrides = present_params(root, stored);
    // Tensors that exist with these params give sizes, too, as do those with params of them.
    Node changed = root;
    for (const Override& override : overrides) {
        apply(override, changed);
    }
    const pipeline::Scope names = names_of(changed);
    for (const Entry& tensor : entry(root, "tensors").entries) {
        const Node& stored_as = entry(tensor.value, "stored_as");
        const NamedShape* found =
            stored.find(stored_as.kind == NodeKind::Scalar ? stored_as.text : tensor.key, names);
        if (found != nullptr && found->shape.size() == extents_of(tensor).size() &&
            entry(tensor.value, "packed").text != "true" && is_wanted(tensor.value, names)) {
            add_sizes(root, tensor, *found, file, overrides);
        }  // else its shape is checked when the tensor is read
    }
    return overrides;
}

}  // namespace tessera::config
