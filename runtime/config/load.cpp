// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/load.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/config/arch_file.hpp"
#include "runtime/config/arch_rules.hpp"
#include "runtime/config/bind.hpp"
#include "runtime/config/field_table.hpp"
#include "runtime/config/load_tree.hpp"
#include "runtime/config/pipeline_file.hpp"
#include "runtime/config/read.hpp"
#include "runtime/config/run_rules.hpp"
#include "runtime/config/timing_bounds.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

constexpr std::string_view kArchKey = "arch";
constexpr std::string_view kTimingKey = "timing";

/// Contents of an arch file.
struct Device {
    ArchSpec arch;
    TimingBounds timing;
};

/// Binds the tree of an arch file and checks its own rules.
Device bind_arch(Node tree, const std::string& stem, const std::string& prefix, Binding& binding) {
    Device device;
    Binding own;
    const Node timing = take(tree, kTimingKey);
    constexpr std::array kTaken{kTimingKey, kExtendsKey};
    bind_fields(arch_fields(), tree, &device.arch, prefix, own, kTaken);
    device.timing = bind_timing(timing, tree.origin, prefix, device.arch.clock, own);
    if (own.violations.empty()) {
        Judge judge(own, prefix);
        // Rules across keys need values that are right by themselves. The name must be the file's:
        // runs and reports name devices by it.
        judge.require(device.arch.name == stem, "name",
                      "'" + device.arch.name + "' is not the name of the file, " + stem);
        validate(device.arch, device.timing, judge);
    }
    binding.resolved.insert(binding.resolved.end(), own.resolved.begin(), own.resolved.end());
    binding.violations.append(own.violations);
    return device;
}

/// Loads the device of a run and merges the run file's `arch:` over it.
Device load_arch_of(const RunSpec& run, const std::filesystem::path& run_path, const Node& patch,
                    ConfigFolders folders, Binding& binding) {
    // Without a device the mistake is recorded already; all that needs one is skipped.
    const ResolvedValue* device = find(binding.resolved, "mesh.device");
    if (device == nullptr) {
        return {};
    }
    const auto file = find_arch_file(run.mesh.device, run_path, folders);
    if (!file) {
        binding.violations.add(device->origin, device->path,
                               unknown_device(run.mesh.device, run_path, folders));
        return {};
    }
    Node tree = read_arch(*file, run_path, folders);
    if (const Node* extends = patch.find(kExtendsKey)) {
        binding.violations.add(extends->origin, "arch.extends",
                               "is a key of device files; allowed in a run: mesh.device names the "
                               "device, and arch changes its keys");
    }
    if (patch.kind != NodeKind::Null) {
        overlay(tree, patch);
    }
    return bind_arch(std::move(tree), file->stem().string(), std::string(kArchKey) + ".", binding);
}

/// Returns the path of the first key below an entry, for `--set link.rate=…`, which is a map by
/// now.
std::string first_path(const Entry& entry) {
    std::string path = entry.key;
    for (const Node* node = &entry.value; node->kind == NodeKind::Map && !node->entries.empty();
         node = &node->entries.front().value) {
        path += "." + node->entries.front().key;
    }
    return path;
}

/// Returns the path in a run file of a device key that has the form of `retime`; empty for other
/// paths.
std::string path_in_run(const std::string& path) {
    for (const auto& [fields, prefix] :
         {std::pair{timing_fields(), "arch.timing."}, std::pair{arch_fields(), "arch."}}) {
        for (const FieldRow& row : flatten(fields, prefix)) {
            if (row.path == prefix + path || row.path == "arch." + path) {
                return row.path;
            }
        }
    }
    return "";
}

/// Removes device keys from a run's tree and reports their full path. `retime` takes them without a
/// prefix, and the nearest key of a run ("mesh" for "link.rate") would mislead.
void refuse_keys_of_device(Node& root, Violations& violations) {
    std::erase_if(root.entries, [&](const Entry& entry) {
        // Device tables are searched only for keys that a run does not have.
        if (std::ranges::find(run_fields(), entry.key, &Field::key) != run_fields().end()) {
            return false;
        }
        const std::string path = first_path(entry);
        const std::string in_run = path_in_run(path);
        if (!in_run.empty()) {
            violations.add(entry.origin, path,
                           fmt::format("unknown key, did you mean {}?", in_run));
        }
        return !in_run.empty();
    });
}

/// Records a mistake for each step that sends over more links than a device has to a neighbour: a
/// replay could not time it. Checked here, because ops do not have the timing section.
void check_links(const pipeline::PipelineSpec& pipeline, const Resolved& keys, std::uint32_t links,
                 Violations& rules) {
    constexpr std::string_view kStart = "steps.";
    constexpr std::string_view kEnd = ".set.links";
    for (const ResolvedValue& key : keys) {
        if (!key.path.starts_with(kStart) || !key.path.ends_with(kEnd)) {
            continue;
        }
        const std::string name =
            key.path.substr(kStart.size(), key.path.size() - kStart.size() - kEnd.size());
        const auto step = std::ranges::find(pipeline.steps, name, &pipeline::PipelineStep::name);
        // A step of single devices sends nothing over links.
        const bool sends = step != pipeline.steps.end() && step->groups.front().size() > 1;
        if (sends && std::stoul(key.text) > links) {
            const bool is_written = key.origin.kind != OriginKind::Default;
            rules.add(is_written ? key.origin : step->place, key.path,
                      fmt::format("{} is out of range, allowed: 1 to {}, which is "
                                  "arch.timing.link.links_per_direction",
                                  key.text, links));
        }
    }
}

/// Returns each option `--set params.x` whose param x nothing in this run uses. Without the note,
/// the user would take the unchanged result for that of the value. It is not an error: a param may
/// serve only some forms of a run, such as the seed of tensors that a file of inputs replaces.
std::vector<std::string> unread_sets(const LoadedRun& loaded) {
    std::vector<std::string> sets;
    for (const std::string& name : loaded.pipeline.unread_params) {
        const ResolvedValue* param = find(loaded.resolved, "params." + name);
        if (param != nullptr && param->origin.kind == OriginKind::Override &&
            param->origin.text.starts_with("--set params.")) {
            sets.push_back(param->origin.text);
        }
    }
    return sets;
}

/// Refuses a file with a sweep: `run` would run its base configuration only.
void refuse_sweep(const Node& root) {
    if (const Node* sweep = root.find("sweep")) {
        throw ConfigError(to_string(sweep->origin) +
                          ": sweep: this file describes many runs; use tessera sweep");
    }
}

/// Takes the keys of the pipeline out of a run file. They are bound last, because their expressions
/// use the mesh and the device.
Node take_pipeline(Node& root) {
    Node pipeline{.kind = NodeKind::Map, .origin = root.origin};
    for (const std::string_view key : pipeline_keys()) {
        if (root.find(key) != nullptr) {
            pipeline.entries.push_back({std::string(key), {}, take(root, key)});
        }
    }
    return pipeline;
}

/// Binds the keys that are left in a run file: mesh, machine, host and verify.
void bind_rest(const Node& root, RunSpec& run, Binding& binding) {
    std::vector<std::string_view> taken = pipeline_keys();
    taken.insert(taken.end(), {kArchKey, kExtendsKey});
    bind_fields(run_fields(), root, &run, "", binding, taken);
}

/// Ends with all mistakes in keys. Broken rules alone are the caller's: a sweep has points that
/// break them.
void throw_if_any(Violations& of_keys, const Violations& broken_rules) {
    if (!of_keys.empty()) {
        of_keys.append(broken_rules);
    }
    of_keys.throw_if_any();
}

}  // namespace

BoundRun bind_run(Node root, const std::filesystem::path& path, ConfigFolders folders) {
    BoundRun bound;
    LoadedRun& loaded = bound.loaded;
    // Kept before it is bound: to_run_file() writes the best point of a sweep from it.
    loaded.tree = root;
    const std::vector<std::string> mesh_params = evaluate_mesh_shape(root);
    // Merged over the device file, so that facts of both have the same checks.
    const Node patch = take(root, kArchKey);
    const Node pipeline = take_pipeline(root);
    loaded.run.name = path.stem().string();
    Binding binding;
    refuse_keys_of_device(root, binding.violations);
    bind_rest(root, loaded.run, binding);
    Device device = load_arch_of(loaded.run, path, patch, folders, binding);
    loaded.arch = std::move(device.arch);
    loaded.timing = std::move(device.timing);
    // Expressions of the pipeline use the mesh and the device, so that mistakes in these end the
    // load here.
    binding.violations.throw_if_any();
    Binding keys;
    loaded.pipeline =
        bind_pipeline(pipeline, {loaded.arch, loaded.run.mesh, path}, keys, bound.broken_rules);
    std::erase_if(loaded.pipeline.unread_params, [&](const std::string& name) {
        return std::ranges::find(mesh_params, name) != mesh_params.end();
    });
    throw_if_any(keys.violations, bound.broken_rules);
    check_links(loaded.pipeline, keys.resolved, loaded.timing.expected.link.links_per_direction,
                bound.broken_rules);
    binding.resolved.insert(binding.resolved.begin(), keys.resolved.begin(), keys.resolved.end());
    Judge judge(binding, "");
    validate(loaded.run, loaded.arch, judge);
    bound.broken_rules.append(binding.violations);
    loaded.resolved = std::move(binding.resolved);
    return bound;
}

LoadedRun load_run(const std::filesystem::path& path, std::span<const Override> overrides,
                   ConfigFolders folders) {
    Node root = read_run(path, folders);
    apply_all(overrides, root);
    refuse_sweep(root);
    // Broken rules end a single run; a sweep keeps them as reasons of its points.
    BoundRun bound = bind_run(std::move(root), path, folders);
    bound.broken_rules.throw_if_any();
    bound.loaded.unread_sets = unread_sets(bound.loaded);
    return std::move(bound.loaded);
}

LoadedRun load_run(const std::filesystem::path& path, std::span<const std::string> sets,
                   ConfigFolders folders) {
    const auto overrides = parse_sets(sets);
    return load_run(path, overrides, folders);
}

LoadedArch load_arch(const std::filesystem::path& path, std::span<const Override> overrides,
                     ConfigFolders folders) {
    Node tree = read_arch(path, path, folders);
    for (const Override& override : overrides) {
        apply(override, tree);
    }
    Binding binding;
    Device device = bind_arch(std::move(tree), path.stem().string(), "", binding);
    binding.violations.throw_if_any();
    return {std::move(device.arch), std::move(device.timing), std::move(binding.resolved)};
}

}  // namespace tessera::config
