// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/recording_key.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::sweep {
namespace {

constexpr std::array<std::string_view, 3> kTimingOnly{"arch.timing.", "arch.clock", "host."};

bool changes_trace(const std::string& path, Checks checks) {
    const bool is_timing = std::ranges::any_of(
        kTimingOnly, [&](std::string_view prefix) { return path.starts_with(prefix); });
    return !is_timing && (checks == Checks::Compared || !path.starts_with("verify."));
}

}  // namespace

std::string recording_key(const config::LoadedRun& loaded, Checks checks) {
    std::string key;
    for (const config::ResolvedValue& value : loaded.resolved) {
        if (changes_trace(value.path, checks)) {
            key += value.path + "=" + value.text + "\n";
        }
    }
    return key;
}

}  // namespace tessera::sweep
