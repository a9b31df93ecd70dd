// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/point_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <system_error>

#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/study/figures_json.hpp"
#include "tessera/errors.hpp"

namespace tessera::sweep {
namespace {

namespace fs = std::filesystem;

/// 128-bit hash of FNV-1a type, twice as long as one FNV-1a: two points with one file name would
/// exchange their times.
class Digest {
public:
    void add(std::string_view text) {
        for (const char letter : text) {
            mix(static_cast<unsigned char>(letter));
        }
        mix(kEndOfText);
    }
    [[nodiscard]] std::string text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

private:
    void mix(std::uint64_t byte) {
        // The second hash takes the first one in, so that both collide together less often.
        constexpr std::uint64_t kPrime = 0x100000001b3U;
        a_ = (a_ ^ byte) * kPrime;
        b_ = (b_ * kPrime) ^ (byte + (a_ >> 32U));
    }
    static constexpr std::uint64_t kEndOfText = 0xFF;  // not in UTF-8: ends a text
    std::uint64_t a_ = 0xcbf29ce484222325U;
    std::uint64_t b_ = 0x84222325cbf29ce4U;
};

/// Returns whether a key configures the host only, such as its threads, which change no predicted
/// time.
bool is_of_the_host(std::string_view path) {
    return path.starts_with("host.");
}

/// Returns whether a point has programs or ops of the user. Their text may change between sweeps
/// and is not part of the key, so such points are not cached.
bool has_own_kernels(const config::LoadedRun& point) {
    return std::ranges::any_of(point.pipeline.steps, pipeline::has_own_kernels);
}

}  // namespace

PointCache::PointCache(fs::path folder, const timed_run::Draws& draws, bool has_values)
    : folder_(std::move(folder)),
      made_by_(fmt::format("{} {} {} {}", timed_run::LaunchCache::made_by(), draws.count,
                           static_cast<int>(draws.times), has_values)) {
    // Before the first point, so that a folder that cannot be written fails at the start.
    std::error_code error;
    fs::create_directories(folder_, error);
    require(!error && fs::is_directory(folder_), "--cache {}: cannot be made: {}", folder_.string(),
            error.message());
}

fs::path PointCache::file_of(const config::LoadedRun& point) const {
    Digest digest;
    // Everything that times depend on. The question and the ranking of a sweep are not part of it,
    // so that sweeps share points.
    digest.add(made_by_);
    for (const config::ResolvedValue& value : point.resolved) {
        if (!is_of_the_host(value.path)) {
            digest.add(value.path);
            digest.add(value.text);
            // Ranges decide the draws and with them the interval.
            digest.add(value.fact ? value.fact->range.value_or("") : "");
        }
    }
    return folder_ / (digest.text() + ".json");
}

// Cached points let an interrupted sweep continue: sweeps take up to 11 minutes.
std::optional<compare::RunFigures> PointCache::find(const config::LoadedRun& point) const {
    if (has_own_kernels(point)) {
        return std::nullopt;
    }
    std::ifstream file(file_of(point));
    if (!file) {
        return std::nullopt;
    }
    try {
        return compare::figures_from_json(nlohmann::ordered_json::parse(file));
    } catch (const std::exception&) {
        return std::nullopt;  // a damaged file: the point runs again and its file is replaced
    }
}

void PointCache::keep(const config::LoadedRun& point, const compare::RunFigures& figures) const {
    if (has_own_kernels(point)) {
        return;
    }
    // grid_shape: 16 recordings took 1.5 s, the same points from the cache 0.2 s.
    const std::string text = to_json(figures).dump();
    // Appears under its name when it is complete: another process may read the folder now.
    PartialFile file(file_of(point));
    file.write_at(0, std::as_bytes(std::span(text)));
    file.finish();
}

}  // namespace tessera::sweep
