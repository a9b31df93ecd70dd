// SPDX-License-Identifier: Apache-2.0
// Error that ended a run, for people and for programs.
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
    std::string message;  ///< message of the error itself
    std::string told;     ///< text that the command line prints
    int exit_code = 0;
    std::optional<FaultCategory> category;  ///< for a KernelError
    std::optional<Where> where;             ///< for a KernelError
    /// For a ConfigError: the first position that its message names.
    std::string file;
    std::optional<std::uint32_t> line;
    std::optional<std::uint32_t> column;
};

/// Describes the exception; null means an end without an exception.
[[nodiscard]] RunError run_error_of(const std::exception_ptr& exception);

/// Schema `tessera.error`, version 1: type, category, device, core{x, y}, thread, kernel, file,
/// line, column, message, exit_code. Keys that an error does not have are null.
[[nodiscard]] nlohmann::ordered_json to_json(const RunError& error);

}  // namespace tessera::report
