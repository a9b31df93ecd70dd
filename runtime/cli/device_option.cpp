// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/device_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emu/base/fields/nearest.hpp"
#include "runtime/cli/config_folders.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchPrefix = "arch.";
constexpr const char* kTimingPrefix = "timing.";

/// The device's own key for one of the command line; the same if there is none.
std::string device_key(std::string key, const config::Resolved& known) {
    if (key.starts_with(kArchPrefix)) {
        key.erase(0, kArchPrefix.size());
    }
    const bool is_short =
        config::find(known, key) == nullptr && config::find(known, kTimingPrefix + key) != nullptr;
    return is_short ? kTimingPrefix + key : key;
}

}  // namespace

fs::path find_arch(const std::string& arch) {
    if (fs::exists(arch)) {
        return arch;
    }
    const fs::path folder = shipped_configs() / "arch";
    const auto names = config::names_in(folder);
    require(std::ranges::find(names, arch) != names.end(),
            "--arch {}: no such file or shipped device model; nearest: {}, shipped: {}", arch,
            config::nearest(arch, names), fmt::join(names, ", "));
    return folder / (arch + ".yaml");
}

fs::path arch_of_trace(const fs::path& path, const Trace& trace) {
    const fs::path file = shipped_configs() / "arch" / (trace.arch + ".yaml");
    require(fs::exists(file), "{}: was recorded on {}, no shipped device model, allowed: {}",
            path.string(), trace.arch,
            fmt::join(config::names_in(shipped_configs() / "arch"), ", "));
    return file;
}

config::LoadedArch load_device(const fs::path& file, const std::vector<std::string>& sets) {
    std::vector<config::Override> overrides = config::parse_sets(sets);
    if (overrides.empty()) {
        return config::load_arch(file);
    }
    const config::Resolved known = config::load_arch(file).resolved;
    for (config::Override& override : overrides) {
        override.path = device_key(override.path, known);
    }
    return config::load_arch(file, overrides);
}

}  // namespace tessera::cli
