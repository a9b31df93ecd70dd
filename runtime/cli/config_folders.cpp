// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/config_folders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/load.hpp"
#include "runtime/kernels/package.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace fs = std::filesystem;

fs::path shipped_configs() {
    return find_package().share_dir / "configs";
}

namespace {

using Folders = std::vector<const char*>;

bool is_shipped_in(const char* folder, const std::string& config) {
    const auto names = config::names_in(shipped_configs() / folder);
    return std::ranges::find(names, config) != names.end();
}

/// "; nearest: a, b", if names are near.
std::string nearest_text(const std::string& word, const std::vector<std::string>& names) {
    constexpr std::size_t kSuggested = 3;
    const auto near = config::nearest_few(word, names, kSuggested);
    return near.empty() ? "" : fmt::format("; nearest: {}", fmt::join(near, ", "));
}

fs::path find_in(const std::string& config, const Folders& folders) {
    if (fs::exists(config)) {
        return config;
    }
    std::vector<std::string> names;
    for (const char* name : folders) {
        const fs::path folder = shipped_configs() / name;
        const auto here = config::names_in(folder);
        if (is_shipped_in(name, config)) {
            return folder / (config + ".yaml");
        }
        names.insert(names.end(), here.begin(), here.end());
    }
    require(!names.empty(), "{}: no such file, and {} holds no configurations", config,
            (shipped_configs() / folders.front()).string());
    throw UsageError(fmt::format(
        "{}: no such file or shipped configuration{}; tessera list configs shows all {} {}", config,
        nearest_text(config, names), names.size(), fmt::join(folders, " and ")));
}

}  // namespace

fs::path find_run_config(const std::string& config) {
    require(fs::exists(config) || !is_shipped_in("sweeps", config),
            "{0}: describes many runs; use tessera sweep {0}", config);
    return find_in(config, {"runs"});
}

fs::path find_sweep_config(const std::string& config) {
    require(fs::exists(config) || !is_shipped_in("runs", config),
            "{0}: is one run, without `sweep:`; use tessera run {0}", config);
    return find_in(config, {"sweeps"});
}

fs::path find_config(const std::string& config) {
    return find_in(config, {"runs", "sweeps"});
}

std::vector<std::string> shipped_models() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(shipped_configs() / "models")) {
        if (entry.path().extension() == ".json") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::ranges::sort(names);
    return names;
}

fs::path find_model(const std::string& model) {
    if (fs::is_directory(model)) {
        fs::path file = fs::path(model) / "config.json";
        require(fs::exists(file), "{}: holds no config.json", model);
        return file;
    }
    if (fs::exists(model)) {
        return model;
    }
    const std::vector<std::string> names = shipped_models();
    if (std::ranges::find(names, model) != names.end()) {
        return shipped_configs() / "models" / (model + ".json");
    }
    throw UsageError(
        fmt::format("{}: no such file or shipped model{}; tessera list models shows all {}", model,
                    nearest_text(model, names), names.size()));
}

}  // namespace tessera::cli
