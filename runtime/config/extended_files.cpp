// SPDX-License-Identifier: Apache-2.0
// Reads run files and device files, merged over the files that they extend.
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "runtime/config/arch_file.hpp"
#include "runtime/config/load_tree.hpp"
#include "runtime/config/pipeline_file.hpp"
#include "runtime/config/read.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

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
Node read_arch_link(const std::filesystem::path& file, const std::filesystem::path& run_path,
                    ConfigFolders folders, Chain chain) {
    Node tree = read_link(file, chain);
    const Node name = tree.kind == NodeKind::Map ? take(tree, kExtendsKey) : Node{};
    if (name.kind == NodeKind::Null) {
        return tree;
    }
    chain.push_back(file);
    // `beside != file`: a file may have the name of the shipped one that it extends.
    const auto beside = file.parent_path() / (name.text + ".yaml");
    // A path is relative to the file that has it: the run file may be in another folder.
    const auto& from = is_path_of_arch(name.text) ? file : run_path;
    const auto base = std::filesystem::is_regular_file(beside) && beside != file
                          ? std::optional(beside)
                          : find_arch_file(name.text, from, folders);
    if (!base) {
        throw ConfigError(fmt::format("{}: extends: {}", to_string(name.origin),
                                      unknown_device(name.text, from, folders)));
    }
    refuse_circle(chain, *base, name);
    Node below = read_arch_link(*base, run_path, folders, std::move(chain));
    overlay(below, tree);
    // "Required key is missing" is reported in the user's file, not in the one that it extends.
    below.origin = tree.origin;
    return below;
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

Node read_arch(const std::filesystem::path& file, const std::filesystem::path& run_path,
               ConfigFolders folders) {
    return read_arch_link(file, run_path, folders, {});
}

}  // namespace tessera::config
