// SPDX-License-Identifier: Apache-2.0
#include "runtime/facade/device_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "emu/base/fields/nearest.hpp"
#include "runtime/kernels/package.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchPrefix = "arch.";
constexpr std::string_view kTimingPrefix = "timing.";

/// Returns the keys of `section`, such as "noc.", that begin with `prefix` in the device's file.
std::vector<std::string> keys_of(const config::Resolved& known, std::string_view prefix,
                                 std::string_view section) {
    std::vector<std::string> keys;
    for (const config::ResolvedValue& value : known) {
        std::string_view key = value.path;
        if (!key.starts_with(prefix)) {
            continue;
        }
        key.remove_prefix(prefix.size());
        if (key.starts_with(section)) {
            keys.emplace_back(key.substr(0, key.find('[')));  // a list is set as a whole
        }
    }
    return keys;
}

/// Returns whether `key` needs the prefix "timing.". For a misspelt key the nearest key of its
/// section decides, so that the message suggests that key.
bool is_timing_key(const std::string& key, const config::Resolved& known) {
    const std::string section = key.substr(0, key.find('.') + 1);
    const std::vector<std::string> timed = keys_of(known, kTimingPrefix, section);
    if (section.empty() || timed.empty()) {
        return false;
    }
    std::vector<std::string> all = keys_of(known, "", section);
    const auto num_own = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), timed.begin(), timed.end());
    const std::string nearest = config::nearest(key, all);
    return std::find(all.begin(), all.begin() + num_own, nearest) == all.begin() + num_own;
}

/// Returns the device's own key for a key of the command line; the same key if there is none.
std::string device_key(std::string key, const config::Resolved& known) {
    if (key.starts_with(kArchPrefix)) {
        key.erase(0, kArchPrefix.size());
    }
    return is_timing_key(key, known) ? std::string(kTimingPrefix) + key : key;
}

fs::path shipped_models() {
    return find_package().share_dir / "configs" / "arch";
}

}  // namespace

fs::path find_device_model(std::string_view origin, const std::string& device) {
    if (fs::exists(device)) {
        return device;
    }
    const auto names = config::names_in(shipped_models());
    const auto near = config::plausible(device, names);
    require(std::ranges::find(names, device) != names.end(),
            "{} {}: no such file or shipped device model; {}shipped: {}", origin, device,
            near ? fmt::format("nearest: {}, ", *near) : "", fmt::join(names, ", "));
    return shipped_models() / (device + ".yaml");
}

fs::path arch_of_trace(const fs::path& path, const Trace& trace) {
    fs::path file = shipped_models() / (trace.arch + ".yaml");
    require(fs::exists(file),
            "{}: was recorded on {}, which is not a shipped device model, allowed: {}",
            path.string(), trace.arch, fmt::join(config::names_in(shipped_models()), ", "));
    return file;
}

config::LoadedArch load_device(const fs::path& file, const std::vector<std::string>& sets) {
    return load_overridden(file, config::parse_sets(sets));
}

config::LoadedArch load_overridden(const fs::path& file, std::vector<config::Override> overrides) {
    const std::array folders{find_package().share_dir / "configs"};
    if (overrides.empty()) {
        return config::load_arch(file, {}, folders);
    }
    const config::Resolved known = config::load_arch(file, {}, folders).resolved;
    for (config::Override& override : overrides) {
        override.path = device_key(override.path, known);
    }
    return config::load_arch(file, overrides, folders);
}

}  // namespace tessera
