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

}  // namespace

std::vector<Override> params_of_shapes(const Node& root, std::span<const NamedShape> shapes,
                                       const std::string& file) {
    std::vector<Override> overrides;
    const Node& params = entry(root, "params");
    pipeline::Scope names = params_without_mesh(root);
    names.set("device", std::int64_t{0});
    const auto find_stored = [&](const std::string& pattern) {
        return std::ranges::find(shapes, name_in_file(pattern, names), &NamedShape::name);
    };
    for (const Entry& param : params.entries) {
        const Node& present = entry(param.value, "present");
        if (present.kind == NodeKind::Scalar && find_stored(present.text) != shapes.end()) {
            // A param with choices is true or false, as in a model's own files; else it is a
            // number.
            const bool is_word = param.value.find("choices") != nullptr;
            overrides.push_back({"params." + param.key, is_word ? "true" : "1",
                                 fmt::format("{}: {}", file, present.text)});
        }
    }
    // Tensors that exist with these params give sizes, too, as do those with params of them.
    Node changed = root;
    for (const Override& override : overrides) {
        apply(override, changed);
    }
    names = params_without_mesh(changed);
    names.set("device", std::int64_t{0});
    for (const Entry& tensor : entry(root, "tensors").entries) {
        const Node& stored_as = entry(tensor.value, "stored_as");
        const auto stored =
            find_stored(stored_as.kind == NodeKind::Scalar ? stored_as.text : tensor.key);
        const Node& extents = entry(tensor.value, "shape");
        if (stored == shapes.end() || extents.elements.size() != stored->shape.size() ||
            entry(tensor.value, "packed").text == "true" || !is_wanted(tensor.value, names)) {
            continue;  // its shape is checked when the tensor is read
        }
        // A param of 0 would be refused later with a message about the param, not about the file.
        require(num_elements(stored->shape) > 0, "{}: {}: shape {}, allowed: no extent of 0", file,
                tensor.key, tessera::to_string(stored->shape));
        // Only a param or a quotient of it sets a param: other expressions have no inverse.
        for (std::size_t i = 0; i < stored->shape.size(); ++i) {
            const auto param = param_of(params, extents.elements[i].text);
            const std::string path = "params." + (param ? param->name : "");
            if (param && std::ranges::find(overrides, path, &Override::path) == overrides.end()) {
                overrides.push_back({path, std::to_string(stored->shape[i] * param->factor),
                                     fmt::format("{}: {}", file, tensor.key)});
            }
        }
    }
    return overrides;
}

}  // namespace tessera::config
