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
constexpr std::string_view kExtendsKey = "extends";

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

/// Files on the way from a file to what it extends.
using Chain = std::vector<std::filesystem::path>;

/// Refuses more files than a person would follow: lists of files that extend lists multiply.
void require_shallow(const Chain& chain, const Node& name) {
    constexpr std::size_t kDeepest = 8;
    if (chain.size() > kDeepest) {
        throw ConfigError(fmt::format("{}: extends: {} files extend each other, allowed: {}",
                                      to_string(name.origin), chain.size(), kDeepest));
    }
}

/// Refuses `file` if a file that extends it is `file` itself: reading would never end. `name`:
/// where the last of them names it.
void refuse_circle(const Chain& chain, const std::filesystem::path& file, const Node& name) {
    const auto same = [&](const std::filesystem::path& other) {
        std::error_code error;
        return std::filesystem::equivalent(other, file, error);
    };
    const auto first = std::ranges::find_if(chain, same);
    if (first == chain.end()) {
        return;
    }
    std::string way;
    for (auto next = std::next(first); next != chain.end(); ++next) {
        way += fmt::format("{}{}", way.empty() ? " through " : ", ", next->filename().string());
    }
    throw ConfigError(fmt::format("{}: extends: {} extends itself{}", to_string(name.origin),
                                  file.filename().string(), way));
}

/// Returns the tree of a file that another one extends. It must have keys: text, a list or nothing
/// would replace or leave out all that the user means to extend.
Node read_base(const std::filesystem::path& file) {
    Node root = read_map(file);
    if (root.kind != NodeKind::Map || root.entries.empty()) {
        throw ConfigError(
            fmt::format("{}: file: expected a map, found {}", to_string(root.origin),
                        root.kind == NodeKind::Map ? std::string("nothing") : describe(root)));
    }
    return root;
}

/// Reads the file of the user as it is, and one that `chain` extends by read_base().
Node read_link(const std::filesystem::path& file, const Chain& chain) {
    return chain.empty() ? read_map(file) : read_base(file);
}

/// Returns the tree of an arch file, merged over the files that it extends.
Node read_arch(const std::filesystem::path& file, const std::filesystem::path& run_path,
               ConfigFolders folders, Chain chain = {}) {
    Node tree = read_link(file, chain);
    const Node name = tree.kind == NodeKind::Map ? take(tree, kExtendsKey) : Node{};
    if (name.kind == NodeKind::Null) {
        return tree;
    }
    chain.push_back(file);
    // `beside != file`: a file may have the name of the shipped one that it extends.
    const auto beside = file.parent_path() / (name.text + ".yaml");
    const auto base = std::filesystem::is_regular_file(beside) && beside != file
                          ? std::optional(beside)
                          : find_arch_file(name.text, run_path, folders);
    if (!base) {
        throw ConfigError(fmt::format("{}: extends: {}", to_string(name.origin),
                                      unknown_device(name.text, run_path, folders)));
    }
    refuse_circle(chain, *base, name);
    Node below = read_arch(*base, run_path, folders, std::move(chain));
    overlay(below, tree);
    // "Required key is missing" is reported in the user's file, not in the one that it extends.
    below.origin = tree.origin;
    return below;
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

/// Returns the file that `extends` names.
std::filesystem::path extended_file(const Node& name, const std::filesystem::path& path,
                                    ConfigFolders folders) {
    if (name.kind != NodeKind::Scalar || name.text.empty()) {
        throw ConfigError(fmt::format("{}: extends: expected the name of a run, found {}",
                                      to_string(name.origin), describe(name)));
    }
    // A file next to the run hides a shipped one of the same name.
    const std::filesystem::path beside = path.parent_path();
    std::vector<std::string> tried{beside / name.text, beside / (name.text + ".yaml")};
    for (const auto& folder : folders) {
        tried.push_back(folder / "runs" / (name.text + ".yaml"));
    }
    for (const std::string& file : tried) {
        if (std::filesystem::is_regular_file(file)) {
            return file;
        }
    }
    throw ConfigError(fmt::format("{}: extends: run file '{}' not found; searched: {}",
                                  to_string(name.origin), name.text, fmt::join(tried, ", ")));
}

/// Returns the tree of a run file, merged over the files that it extends: `extends: NAME`, or a
/// list whose later files replace values of the earlier ones and append steps.
Node read_extended(const std::filesystem::path& path, ConfigFolders folders,
                   const Chain& above = {}) {
    Node root = read_link(path, above);
    if (root.kind != NodeKind::Map) {
        return root;
    }
    const Node name = take(root, kExtendsKey);
    if (name.kind == NodeKind::Null) {
        return root;
    }
    Chain chain = above;
    chain.push_back(path);
    require_shallow(chain, name);
    const auto read = [&](const Node& one) {
        const std::filesystem::path extended = extended_file(one, path, folders);
        refuse_circle(chain, extended, name);
        return read_extended(extended, folders, chain);
    };
    const bool is_list = name.kind == NodeKind::Sequence && !name.elements.empty();
    Node base = read(is_list ? name.elements.front() : name);
    for (std::size_t i = 1; is_list && i < name.elements.size(); ++i) {
        overlay(base, read(name.elements[i]));
    }
    overlay(base, root);
    // Like in read_arch(), a missing key is reported in the user's file.
    base.origin = root.origin;
    return base;
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
            param->origin.text.starts_with("--set ")) {
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

}  // namespace

Node read_map(const std::filesystem::path& path) {
    Node root = read_file(path);
    // An empty file is a run with defaults only, which overrides may fill.
    if (root.kind == NodeKind::Null) {
        root.kind = NodeKind::Map;
    }
    name_steps(root);
    return root;
}

Node read_run(const std::filesystem::path& path, ConfigFolders folders) {
    return read_extended(path, folders);
}

namespace {

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
    for (const Override& override : overrides) {
        apply(override, root);
    }
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
