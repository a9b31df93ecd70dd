// SPDX-License-Identifier: Apache-2.0
// Checks and log lines of host programs, under the vendor's names. A failed check throws
// std::runtime_error; log lines go to standard output, as on the vendor's host.
#pragma once

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tt::assert {

/// A failed check and its source position.
struct Failure {
    const char* kind;
    const char* file;
    int line;
    const char* condition;
};

[[noreturn]] void fail(const Failure& failure, const std::string& message);

[[noreturn]] inline void throw_failure(const Failure& failure) {
    fail(failure, "");
}
template <class... Args>
[[noreturn]] void throw_failure(const Failure& failure, fmt::format_string<const Args&...> format,
                                const Args&... args) {
    fail(failure, fmt::format(format, args...));
}

}  // namespace tt::assert

// These are macros, so that the message can name file, line and condition.
#define TT_THROW(...) \
    ::tt::assert::throw_failure({"TT_THROW", __FILE__, __LINE__, ""} __VA_OPT__(, ) __VA_ARGS__)
#define TT_FATAL(condition, ...)                                                          \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            ::tt::assert::throw_failure(                                                  \
                {"TT_FATAL", __FILE__, __LINE__, #condition} __VA_OPT__(, ) __VA_ARGS__); \
        }                                                                                 \
    } while (false)
#define TT_ASSERT(condition, ...)                                                          \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            ::tt::assert::throw_failure(                                                   \
                {"TT_ASSERT", __FILE__, __LINE__, #condition} __VA_OPT__(, ) __VA_ARGS__); \
        }                                                                                  \
    } while (false)

namespace tt {

/// Area of a log line.
enum LogType : std::uint32_t {
    LogAlways,
    LogTest,
    LogTimer,
    LogDevice,
    LogModel,
    LogLLRuntime,
    LogLoader,
    LogIO,
    LogCompileTrisc,
    LogBuildKernels,
    LogVerif,
    LogGolden,
    LogOp,
    LogHLK,
    LogHLKC,
    LogReportify,
    LogGraphCompiler,
    LogDispatch,
    LogFabric,
    LogMetal,
    LogMetalTrace,
    LogDebug,
    LogEmulationDriver,
    LogUMD,
    LogDistributed,
};

namespace logging {
/// Prints one line to standard output.
void print(std::string_view level, const std::string& text);
/// Returns whether TT_METAL_LOGGER_LEVEL or TT_LOGGER_LEVEL is "debug" or "trace".
[[nodiscard]] bool shows_debug();
}  // namespace logging

template <class... Args>
void log_info(LogType /*area*/, fmt::format_string<Args...> format, Args&&... args) {
    logging::print("info", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
    logging::print("info", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(LogType /*area*/, fmt::format_string<Args...> format, Args&&... args) {
    logging::print("warning", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
    logging::print("warning", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_error(LogType /*area*/, fmt::format_string<Args...> format, Args&&... args) {
    logging::print("error", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
    logging::print("error", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_fatal(LogType /*area*/, fmt::format_string<Args...> format, Args&&... args) {
    logging::print("fatal", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_fatal(fmt::format_string<Args...> format, Args&&... args) {
    logging::print("fatal", fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_debug(LogType /*area*/, fmt::format_string<Args...> format, Args&&... args) {
    if (logging::shows_debug()) {
        logging::print("debug", fmt::format(format, std::forward<Args>(args)...));
    }
}
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
    log_debug(LogAlways, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_trace(LogType area, fmt::format_string<Args...> format, Args&&... args) {
    log_debug(area, format, std::forward<Args>(args)...);
}

}  // namespace tt

// Newer programs call these without a namespace.
using tt::log_debug;
using tt::log_error;
using tt::log_fatal;
using tt::log_info;
using tt::log_trace;
using tt::log_warning;
