// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/load.hpp"

#include "runtime/config/arch_file.hpp"
#include "runtime/config/arch_rules.hpp"
#include "runtime/config/bind.hpp"
#include "runtime/config/field_table.hpp"
#include "runtime/config/load_tree.hpp"
#include "runtime/config/read.hpp"
#include "runtime/config/run_rules.hpp"
#include "runtime/config/timing_bounds.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

constexpr std::string_view kArchKey = "arch";
constexpr std::string_view kTimingKey = "timing";

/// What an arch file says.
struct Device {
    ArchSpec arch;
    TimingBounds timing;
};

/// Binds the tree of an arch file and checks its own rules.
Device bind_arch(Node tree, const std::string& stem, const std::string& prefix, Binding& binding) {
    Device device;
    Binding own;
    const Node timing = take(tree, kTimingKey);
    bind_fields(arch_fields(), tree, &device.arch, prefix, own);
    device.timing = bind_timing(timing, tree.origin, prefix, device.arch.clock, own);
    if (own.violations.empty()) {
        Judge judge(own, prefix);
        judge.require(device.arch.name == stem, "name",
                      "'" + device.arch.name + "' is not the name of the file, " + stem);
        validate(device.arch, judge);
    }
    binding.resolved.insert(binding.resolved.end(), own.resolved.begin(), own.resolved.end());
    binding.violations.take_over(own.violations);
    return device;
}

Device load_arch_of(const RunSpec& run, const std::filesystem::path& run_path, const Node& patch,
                    ConfigFolders folders, Binding& binding) {
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
    Node tree = read_map(*file);
    if (patch.kind != NodeKind::Null) {
        overlay(tree, patch);
    }
    return bind_arch(std::move(tree), file->stem().string(), std::string(kArchKey) + ".", binding);
}

/// The word that stands for the pipeline, right or wrong.
std::string pipeline_of(const Node& root) {
    const Node* workload = root.find("workload");
    const Node* pipeline = workload == nullptr ? nullptr : workload->find("pipeline");
    return pipeline == nullptr ? Value<Pipeline>::show(Pipeline{}) : pipeline->text;
}

void refuse_sweep(const Node& root) {
    if (const Node* sweep = root.find("sweep")) {
        throw ConfigError(to_string(sweep->origin) +
                          ": sweep: this file stands for many runs, see tessera sweep");
    }
}

}  // namespace

Node read_map(const std::filesystem::path& path) {
    Node root = read_file(path);
    if (root.kind == NodeKind::Null) {
        root.kind = NodeKind::Map;
    }
    return root;
}

BoundRun bind_run(Node root, const std::filesystem::path& path, ConfigFolders folders) {
    const Node patch = take(root, kArchKey);
    BoundRun bound;
    LoadedRun& loaded = bound.loaded;
    loaded.run.name = path.stem().string();
    Binding binding;
    binding.pipeline = pipeline_of(root);
    bind_fields(run_fields(), root, &loaded.run, "", binding);
    Device device = load_arch_of(loaded.run, path, patch, folders, binding);
    loaded.arch = std::move(device.arch);
    loaded.timing = std::move(device.timing);
    binding.violations.throw_if_any();
    Judge judge(binding, "");
    validate(loaded.run, loaded.arch, judge);
    bound.broken_rules = std::move(binding.violations);
    loaded.resolved = std::move(binding.resolved);
    return bound;
}

LoadedRun load_run(const std::filesystem::path& path, std::span<const Override> overrides,
                   ConfigFolders folders) {
    Node root = read_map(path);
    for (const Override& override : overrides) {
        apply(override, root);
    }
    refuse_sweep(root);
    BoundRun bound = bind_run(std::move(root), path, folders);
    bound.broken_rules.throw_if_any();
    return std::move(bound.loaded);
}

LoadedRun load_run(const std::filesystem::path& path, std::span<const std::string> sets,
                   ConfigFolders folders) {
    const auto overrides = parse_sets(sets);
    return load_run(path, overrides, folders);
}

LoadedArch load_arch(const std::filesystem::path& path, std::span<const Override> overrides) {
    Node tree = read_map(path);
    for (const Override& override : overrides) {
        apply(override, tree);
    }
    Binding binding;
    Device device = bind_arch(std::move(tree), path.stem().string(), "", binding);
    binding.violations.throw_if_any();
    return {std::move(device.arch), std::move(device.timing), std::move(binding.resolved)};
}

}  // namespace tessera::config
