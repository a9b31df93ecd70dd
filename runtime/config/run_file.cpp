// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

namespace tessera::config {
namespace {

constexpr std::string_view kArchBlock = "arch";

/// Returns a scalar with its quotes: without them a name with ${…} would be read as an expression.
std::string quoted(const Node& node) {
    return node.style == ScalarStyle::Quoted ? nlohmann::json(node.text).dump() : node.text;
}

/// Returns an override of the device as a fact. Numbers of a device must state a source; the
/// override itself is the only one.
std::string fact_of(const Node& node) {
    return fmt::format("{{value: {}, source: {}}}", to_yaml(node),
                       nlohmann::json(node.origin.text).dump());
}

/// Returns whether a node is written on one line. Empty maps have no lines of their own.
bool is_flow(const Node& node) {
    return node.kind != NodeKind::Map || node.entries.empty();
}

/// Returns a map as lines of YAML. Replaced numbers of the device become facts.
std::string lines_of(const Node& map, std::size_t indent, bool is_arch) {
    std::string text;
    for (const Entry& entry : map.entries) {
        const Node& value = entry.value;
        const bool is_replaced =
            is_arch && value.origin.kind == OriginKind::Override && value.kind != NodeKind::Map;
        text += fmt::format("{:{}}{}:", "", indent, entry.key);
        // A file needs a source for each number of a device; `--set` needs none.
        if (is_replaced) {
            text += " " + fact_of(value) + "\n";
        } else if (is_flow(value)) {
            text += " " + (value.kind == NodeKind::Scalar ? quoted(value) : to_yaml(value)) + "\n";
        } else {
            text += "\n" + lines_of(value, indent + 2, is_arch);
        }
    }
    return text;
}

// Returns whether a key may name a file or a folder: a kernel's path, the file of a tensor or a
// reference, an op's folder, a device.
bool may_name_a_file(std::string_view key) {
    constexpr std::array<std::string_view, 4> kKeys{"path", "file", "ops", "device"};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

// Makes paths absolute: a sweep writes best.yaml to another folder than the run file's, to which
// its paths are relative.
void make_paths_absolute(Node& node, std::string_view key, const std::filesystem::path& folder) {
    if (node.kind == NodeKind::Scalar && may_name_a_file(key)) {
        std::error_code error;  // a name that is too long does not exist either
        // Names of shipped kernels and devices are not files here and are unchanged.
        if (!node.text.empty() && std::filesystem::exists(folder / node.text, error)) {
            node.text = std::filesystem::absolute(folder / node.text).lexically_normal().string();
        }
    }
    for (Node& element : node.elements) {
        make_paths_absolute(element, key, folder);
    }
    for (Entry& entry : node.entries) {
        make_paths_absolute(entry.value, entry.key, folder);
    }
}

}  // namespace

std::string to_run_file(const LoadedRun& loaded) {
    Node tree = loaded.tree;
    make_paths_absolute(tree, "", loaded.pipeline.folder);
    std::string text;
    for (const Entry& entry : tree.entries) {
        text += entry.key + ":";
        text += is_flow(entry.value) ? " " + to_yaml(entry.value) + "\n"
                                     : "\n" + lines_of(entry.value, 2, entry.key == kArchBlock);
    }
    return text;
}

}  // namespace tessera::config
