// SPDX-License-Identifier: Apache-2.0
// Params that follow from an override of `mesh.shape`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "runtime/config/override.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "runtime/config/pipeline_file.hpp"
#include "runtime/config/read.hpp"
#include "runtime/steps/expression.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

constexpr std::string_view kShapePath = "mesh.shape";

/// Returns the node that holds a param's value: `4` or `{value: 4, range: …}`.
const Node& value_of(const Node& param) {
    const Node* value = param.find("value");
    return value == nullptr ? param : *value;
}

std::optional<std::int64_t> number_in(const std::string& text) {
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = end.ec == std::errc() && end.ptr == text.data() + text.size();
    return is_number ? std::optional(number) : std::nullopt;
}

/// A param and the value that an extent of the mesh gives it.
struct MeshParam {
    std::string name;
    std::int64_t value = 0;
};

/// Returns the param that `name` leaves to be set. If its value is a product of params, such as
/// `pcp * dp`, that is the last factor: the others divide the rows that it counts.
MeshParam param_to_set(const std::string& name, std::int64_t extent, const Node& params,
                       const pipeline::Scope& scope, const Override& override) {
    const std::string& text = value_of(entry(params, name)).text;
    const std::size_t sign = text.rfind(" * ");
    if (sign == std::string::npos || params.find(text.substr(sign + 3)) == nullptr) {
        return {name, extent};
    }
    const std::string others = text.substr(0, sign);
    const std::int64_t divisor = pipeline::evaluate_integer(others, scope);
    if (divisor < 1 || extent % divisor != 0) {
        throw ConfigError(
            fmt::format("{}: {} is not a multiple of {}, which is {}; allowed: "
                        "multiples of it, since the file states this extent as {}",
                        override.origin, extent, others, divisor, text));
    }
    return {text.substr(sign + 3), extent / divisor};
}

/// Sets the params that the file's `mesh.shape` names to the extents of an override, so that groups
/// and tensors of the file fit the new mesh.
void set_params(const Override& override, Node& root) {
    const Node extents = entry(entry(root, "mesh"), "shape");
    const Node given = read_text_at(override.value, {OriginKind::Override, override.origin, 0, 0});
    if (extents.elements.size() != given.elements.size()) {
        return;  // refused when the mesh is bound
    }
    const Node params = entry(root, "params");
    const pipeline::Scope scope = params_without_mesh(root);
    for (std::size_t i = 0; i < extents.elements.size(); ++i) {
        const std::string& name = extents.elements[i].text;
        const auto extent = number_in(given.elements[i].text);
        if (!extent || params.find(name) == nullptr) {
            continue;
        }
        const MeshParam param = param_to_set(name, *extent, params, scope, override);
        // A param with an override of its own keeps it; if the two differ, its groups are refused.
        if (value_of(entry(params, param.name)).origin.kind != OriginKind::Override) {
            apply({"params." + param.name, std::to_string(param.value), override.origin}, root);
        }
    }
}

}  // namespace

void apply_all(std::span<const Override> overrides, Node& root) {
    const auto is_shape = [](const Override& override) { return override.path == kShapePath; };
    // The shape comes last: the params that follow from it depend on other params.
    for (const Override& override : overrides) {
        if (!is_shape(override)) {
            apply(override, root);
        }
    }
    for (const Override& override : overrides) {
        if (is_shape(override)) {
            set_params(override, root);
            apply(override, root);
        }
    }
}

}  // namespace tessera::config
