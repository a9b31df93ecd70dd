// SPDX-License-Identifier: Apache-2.0
// The log records decisions of Tessera: files read, kernels compiled, launches, replays. It is
// written to standard error and is silent by default. Results and errors never use it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace tessera::log {

enum class Area : std::uint8_t { Config, Jit, Launch, Replay };
/// Levels of messages. None is logged as a warning or an error: what is wrong ends the run.
enum class Level : std::uint8_t { Debug, Info };

/// Sets the lowest level that areas show. `levels` lists `LEVEL` for all areas or `area=LEVEL` for
/// one, separated by commas; later entries take precedence: "info,jit=debug". A level is debug,
/// info, warn, error or off; an area is config, jit, launch or replay. `origin` names the setting
/// in the message.
///
/// Before anything else is logged or set, the environment's TESSERA_LOG is read in the same way;
/// without it every area is at warn.
/// Errors   UsageError naming the unknown area or level and those that are allowed.
void set_levels(std::string_view levels, std::string_view origin);

/// True if `area` shows messages of `level`: ask before a message costs more than its arguments.
/// Errors   UsageError for a TESSERA_LOG that set_levels() refuses, at the first call.
[[nodiscard]] bool is_shown(Area area, Level level);
/// True if any area shows messages of `level`.
[[nodiscard]] bool is_any_shown(Level level);

/// Writes one line with the time of day, whatever the levels are. May be called from any thread.
void write(Area area, Level level, std::string_view message);

/// Logs a decision that a user may wonder about. Nothing is formatted if the area does not show it.
template <class... Args>
void info(Area area, fmt::format_string<Args...> format, Args&&... args) {
    if (is_shown(area, Level::Info)) {
        write(area, Level::Info, fmt::format(format, std::forward<Args>(args)...));
    }
}

/// Logs a detail of a decision in the same way.
template <class... Args>
void debug(Area area, fmt::format_string<Args...> format, Args&&... args) {
    if (is_shown(area, Level::Debug)) {
        write(area, Level::Debug, fmt::format(format, std::forward<Args>(args)...));
    }
}

}  // namespace tessera::log
