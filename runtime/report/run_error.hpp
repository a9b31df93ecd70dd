// SPDX-License-Identifier: Apache-2.0
// What ended a run, for people and for programs.
#pragma once

#include <cstdint>
#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tessera/errors.hpp"

namespace tessera::report {

struct RunError {
    std::string type;  ///< "ConfigError", "UsageError", "KernelError", "InternalError", "HostError"
    std::string message;  ///< of the error itself
    std::string told;     ///< as the command line prints it
    int exit_code = 0;
    std::optional<FaultCategory> category;  ///< of a KernelError
    std::optional<Where> where;             ///< of a KernelError
    /// Of a ConfigError: the first place that its message names.
    std::string file;
    std::optional<std::uint32_t> line;
    std::optional<std::uint32_t> column;
};

/// Describes the exception; null is an end without one.
[[nodiscard]] RunError run_error_of(const std::exception_ptr& exception);

/// Schema `tessera.error`, version 1: type, category, device, core{x, y}, thread, kernel, file,
/// line, column, message, exit_code. What an error does not have is null.
[[nodiscard]] nlohmann::ordered_json to_json(const RunError& error);

}  // namespace tessera::report
