// SPDX-License-Identifier: Apache-2.0
// Binds the block `groups:` of a run file, and the key `devices` of a step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using pipeline::DeviceGroups;
using pipeline::Scope;

/// Returns the boxes of rows × columns devices that tile the mesh, each with its ids row by row.
DeviceGroups boxes(MeshShape mesh, MeshShape box) {
    DeviceGroups groups;
    for (std::uint32_t row = 0; row < mesh.rows; row += box.rows) {
        for (std::uint32_t column = 0; column < mesh.columns; column += box.columns) {
            auto& group = groups.emplace_back();
            for (std::uint32_t i = 0; i < box.rows * box.columns; ++i) {
                group.push_back((row + i / box.columns) * mesh.columns + column + i % box.columns);
            }
        }
    }
    return groups;
}

/// Returns, for each position, the devices at this position in all groups: with groups of one axis,
/// the groups of the other. Across `rows` gives `columns`.
DeviceGroups across(const DeviceGroups& groups) {
    DeviceGroups others(groups.front().size());
    for (const auto& group : groups) {
        for (std::size_t i = 0; i < group.size(); ++i) {
            others[i].push_back(group[i]);
        }
    }
    return others;
}

/// Returns the groups of a reserved word. Rows and columns are the axes along which collectives of
/// a mesh run.
std::optional<DeviceGroups> groups_of_word(MeshShape mesh, std::string_view word) {
    if (word == "all") {
        return boxes(mesh, mesh);
    }
    if (word == "rows") {
        return boxes(mesh, {1, mesh.columns});
    }
    if (word == "columns") {
        return boxes(mesh, {mesh.rows, 1});
    }
    if (word == "each") {
        return boxes(mesh, {1, 1});
    }
    return std::nullopt;
}

/// Returns the ids of a list. Their order is the order of positions in the group, which collectives
/// use.
std::vector<std::uint32_t> ids_of(const PipelineBinder& binder, const Node& list,
                                  const std::string& path, const Scope& names) {
    const std::uint32_t devices = binder.target.mesh.shape.num_devices();
    require(!list.elements.empty(), "is a group without devices; allowed: at least one device");
    std::vector<std::uint32_t> ids;
    for (const Node& id : list.elements) {
        binder.guarded(id, path, [&] {
            ids.push_back(pipeline::evaluate_count(id.text, names));
            require(ids.back() < devices, "device {}, allowed: 0 to {}", ids.back(), devices - 1);
            require(std::ranges::count(ids, ids.back()) == 1, "device {} is listed twice",
                    ids.back());
        });
    }
    return ids;
}

/// `[[0, 1], [2, 3]]`.
DeviceGroups listed(const PipelineBinder& binder, const Node& node, const std::string& path) {
    DeviceGroups groups;
    for (const Node& list : node.elements) {
        require(list.kind == NodeKind::Sequence, "expected lists of devices, found {}",
                describe(list));
        groups.push_back(ids_of(binder, list, path, binder.scope));
        // A step is planned once for all of its groups, so shapes must be the same in each.
        require(groups.back().size() == groups.front().size(),
                "groups of {} and of {} devices; allowed: groups of equal size",
                groups.front().size(), groups.back().size());
    }
    require(!groups.empty(), "no groups; allowed: at least one");
    return groups;
}

/// `{box: [rows, columns]}`.
DeviceGroups boxed(const PipelineBinder& binder, const Node& box) {
    const MeshShape mesh = binder.target.mesh.shape;
    require(box.kind == NodeKind::Sequence && box.elements.size() == 2,
            "expected box: [rows, columns], found {}", describe(box));
    const MeshShape shape{pipeline::evaluate_count(box.elements[0].text, binder.scope),
                          pipeline::evaluate_count(box.elements[1].text, binder.scope)};
    require(shape.rows > 0 && shape.columns > 0,
            "a box of [{}, {}] is a group without devices; allowed: extents of at least 1",
            shape.rows, shape.columns);
    // Boxes must tile the mesh, so that each device is in exactly one group.
    require(mesh.rows % shape.rows == 0 && mesh.columns % shape.columns == 0,
            "boxes of [{}, {}] do not tile the mesh of [{}, {}] devices", shape.rows, shape.columns,
            mesh.rows, mesh.columns);
    return boxes(mesh, shape);
}

/// Refuses a device in two groups: both would run a program on its cores in one launch.
void refuse_overlap(const DeviceGroups& groups) {
    std::map<std::uint32_t, std::size_t> group_of;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (const std::uint32_t device : groups[g]) {
            const auto [first, is_new] = group_of.emplace(device, g);
            require(is_new || first->second == g,
                    "device {} is in groups {} and {}; allowed: groups without common devices",
                    device, first->second, g);
        }
    }
}

DeviceGroups groups_of(const PipelineBinder& binder, const Node& node, const std::string& path) {
    if (node.kind == NodeKind::Sequence) {
        return listed(binder, node, path);
    }
    require(node.kind == NodeKind::Map && node.entries.size() == 1,
            "expected {{box: [rows, columns]}}, {{across: name}} or lists of devices, found {}",
            describe(node));
    if (const Node* box = node.find("box")) {
        return boxed(binder, *box);
    }
    const Node* name = node.find("across");
    require(name != nullptr, "{} is unknown; allowed: box, across", node.entries.front().key);
    return across(binder.groups_called(name->text));
}

}  // namespace

DeviceGroups PipelineBinder::groups_called(std::string_view word) const {
    if (const auto built_in = groups_of_word(target.mesh.shape, word)) {
        return *built_in;
    }
    const auto own = groups.find(word);
    if (own != groups.end()) {
        return own->second;
    }
    std::vector<std::string> known{"all", "rows", "columns", "each"};
    for (const auto& [name, devices] : groups) {
        known.push_back(name);
    }
    throw UsageError(
        fmt::format("'{}', allowed: {}, or a list of ids", word, fmt::join(known, ", ")));
}

void bind_groups(PipelineBinder& binder, const Node& groups) {
    if (groups.kind == NodeKind::Null) {
        return;
    }
    if (groups.kind != NodeKind::Map) {
        binder.mistake(groups, "groups", "expected a map, found " + describe(groups));
        return;
    }
    for (const Entry& entry : groups.entries) {
        const std::string path = "groups." + entry.key;
        binder.guarded(entry.value, path, [&] {
            require(!groups_of_word(binder.target.mesh.shape, entry.key),
                    "is a reserved word; allowed: names other than all, rows, columns and each");
            DeviceGroups devices = groups_of(binder, entry.value, path);
            // Groups need not have all devices: a step may work on some of them only.
            refuse_overlap(devices);
            binder.resolve_word(entry.value, path, fmt::format("{}", devices));
            // A later group may refer to this one by `across`.
            binder.groups.insert_or_assign(entry.key, std::move(devices));
        });
    }
}

DeviceGroups bind_devices(PipelineBinder& binder, const Node& step, const std::string& path,
                          const Scope& names) {
    const Node* node = step.find("devices");
    if (node == nullptr) {
        return binder.groups_called("all");
    }
    DeviceGroups groups;
    // A list of ids is one group; a word may name several.
    const bool is_list = node->kind == NodeKind::Sequence;
    binder.guarded(*node, path + ".devices", [&] {
        groups = is_list ? DeviceGroups{ids_of(binder, *node, path + ".devices", names)}
                         : binder.groups_called(pipeline::substitute(node->text, names));
    });
    binder.resolve_word(*node, path + ".devices", to_yaml(*node));
    return groups;
}

}  // namespace tessera::config
