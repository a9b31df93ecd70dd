// SPDX-License-Identifier: Apache-2.0
#include "runtime/log/log.hpp"

#include <fmt/ranges.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera::log {
namespace {

constexpr std::array<std::string_view, 4> kAreas{"config", "jit", "launch", "replay"};
constexpr std::array<std::string_view, 5> kLevels{"debug", "info", "warn", "error", "off"};
constexpr std::array kSpdlogLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                   spdlog::level::err, spdlog::level::off};  // in that order
constexpr const char* kLine = "%H:%M:%S.%e %n %l: %v";

/// Returns the index of `name` in `names`.
/// Errors   UsageError with all of them if it is missing.
std::size_t index_in(std::span<const std::string_view> names, std::string_view name,
                     const char* kind, std::string_view origin) {
    const auto found = std::ranges::find(names, name);
    require_allowed(found != names.end(), origin, kind, fmt::format("'{}'", name),
                    fmt::format("{}", fmt::join(names, ", ")));
    return static_cast<std::size_t>(found - names.begin());
}

/// One logger for each area, on one sink: lines of different areas do not tear each other.
class Loggers {
public:
    Loggers() {
        const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        for (std::size_t i = 0; i < kAreas.size(); ++i) {
            areas_[i] = std::make_unique<spdlog::logger>(std::string(kAreas[i]), sink);
            areas_[i]->set_pattern(kLine);
            areas_[i]->set_level(spdlog::level::warn);
        }
        const char* levels = std::getenv("TESSERA_LOG");  // NOLINT(concurrency-mt-unsafe)
        if (levels != nullptr && *levels != '\0') {
            set_levels(levels, fmt::format("TESSERA_LOG={}", levels));
        }
    }

    spdlog::logger& of(Area area) { return *areas_.at(static_cast<std::size_t>(area)); }

    void set_levels(std::string_view levels, std::string_view origin) {
        std::size_t begin = 0;
        while (begin <= levels.size()) {
            const std::size_t comma = std::min(levels.find(',', begin), levels.size());
            set_one(levels.substr(begin, comma - begin), origin);
            begin = comma + 1;
        }
    }

private:
    void set_one(std::string_view setting, std::string_view origin) {
        const std::size_t equals = setting.find('=');
        const bool is_for_all = equals == std::string_view::npos;
        const std::string_view level = is_for_all ? setting : setting.substr(equals + 1);
        const auto shown = kSpdlogLevels.at(index_in(kLevels, level, "unknown level", origin));
        if (!is_for_all) {
            areas_.at(index_in(kAreas, setting.substr(0, equals), "unknown area", origin))
                ->set_level(shown);
            return;
        }
        for (const auto& area : areas_) {
            area->set_level(shown);
        }
    }

    std::array<std::unique_ptr<spdlog::logger>, kAreas.size()> areas_;
};

/// Made at first use, so that a program that links Tessera has a log without setting it up.
Loggers& loggers() {
    static Loggers instance;
    return instance;
}

spdlog::level::level_enum spdlog_level(Level level) {
    return level == Level::Debug ? spdlog::level::debug : spdlog::level::info;
}

}  // namespace

void set_levels(std::string_view levels, std::string_view origin) {
    loggers().set_levels(levels, origin);
}

bool is_shown(Area area, Level level) {
    return loggers().of(area).should_log(spdlog_level(level));
}

bool is_any_shown(Level level) {
    return is_shown(Area::Config, level) || is_shown(Area::Jit, level) ||
           is_shown(Area::Launch, level) || is_shown(Area::Replay, level);
}

void write(Area area, Level level, std::string_view message) {
    loggers().of(area).log(spdlog_level(level), message);
}

}  // namespace tessera::log
