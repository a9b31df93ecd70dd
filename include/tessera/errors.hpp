// SPDX-License-Identifier: Apache-2.0
// Error types, one for each party that can be at fault.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "tessera/core_coord.hpp"
#include "tessera/processor.hpp"

namespace tessera {

/// Base of all errors that Tessera throws. `exit_code` is the exit code of the command line.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    [[nodiscard]] virtual int exit_code() const noexcept = 0;
};

/// Error in a YAML file. Message: `file:line:column: key.path: found, allowed`. Exit code 2.
class ConfigError : public Error {
public:
    using Error::Error;
    [[nodiscard]] int exit_code() const noexcept override { return 2; }
};

/// Error of the caller of the library or the command line, input files included. Exit code 2.
class UsageError : public Error {
public:
    using Error::Error;
    [[nodiscard]] int exit_code() const noexcept override { return 2; }
};

/// Fault of Tessera itself: an invariant does not hold. Exit code 70.
class InternalError : public Error {
public:
    using Error::Error;
    [[nodiscard]] int exit_code() const noexcept override { return 70; }
};

/// Kind of violation of the machine's contract by an emulated program.
enum class FaultCategory : std::uint8_t {
    UndefinedBehavior,
    OutOfBounds,
    UninitializedRead,
    Deadlock,
    Unsupported,    ///< not planned
    Unimplemented,  ///< planned
    Untested,       ///< no evidence yet; an error unless a run allows it
};

/// Returns the name as messages print it: "OutOfBounds", "Deadlock", …
[[nodiscard]] const char* name_of(FaultCategory category) noexcept;

/// Kernel thread and source line of an error.
struct Where {
    std::uint32_t device = 0;
    CoreCoord core;  ///< logical coordinates
    Processor processor = Processor::Riscv0;
    std::string kernel;  ///< path of the kernel's source
    std::string file;    ///< file of the call, which may be a header of the kernel
    std::uint32_t line = 0;
};

/// Violation of the machine's contract by an emulated program. Exit code 3.
/// Message: `Category: device D core (x,y) <role> <file>:<line>: detail`.
class KernelError : public Error {
public:
    KernelError(FaultCategory category, Where where, std::string detail);
    [[nodiscard]] int exit_code() const noexcept override { return 3; }
    [[nodiscard]] FaultCategory category() const noexcept { return category_; }
    [[nodiscard]] const Where& where() const noexcept { return where_; }
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }

private:
    FaultCategory category_;
    Where where_;
    std::string detail_;
};

/// Throws UsageError with the formatted message unless `holds`.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds) {
        throw UsageError(fmt::format(format, std::forward<Args>(args)...));
    }
}

/// Throws InternalError with the formatted message unless `holds`.
template <class... Args>
void ensure(bool holds, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds) {
        throw InternalError(fmt::format(format, std::forward<Args>(args)...) +
                            " (please report this)");
    }
}

}  // namespace tessera
