// SPDX-License-Identifier: Apache-2.0
// Error types by whose fault they are; `exit_code` is what the command line ends with.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "tessera/core_coord.hpp"
#include "tessera/processor.hpp"

namespace tessera {

class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    [[nodiscard]] virtual int exit_code() const noexcept = 0;
};

/// The YAML's author: message is `file:line:column: key.path: found, allowed`.
class ConfigError : public Error {
public:
    using Error::Error;
    [[nodiscard]] int exit_code() const noexcept override { return 2; }
};

/// The caller of the library or of the command line, input files included.
class UsageError : public Error {
public:
    using Error::Error;
    [[nodiscard]] int exit_code() const noexcept override { return 2; }
};

/// We ourselves: an invariant of Tessera does not hold.
class InternalError : public Error {
public:
    using Error::Error;
    [[nodiscard]] int exit_code() const noexcept override { return 70; }
};

/// How an emulated program broke the machine's contract. The set is closed.
enum class FaultCategory : std::uint8_t {
    UndefinedBehavior,
    OutOfBounds,
    UninitializedRead,
    Deadlock,
    Unsupported,    ///< never planned
    Unimplemented,  ///< not yet
    Untested,       ///< no evidence yet; refused unless a run allows it
};

[[nodiscard]] const char* name_of(FaultCategory category) noexcept;

/// Which kernel thread, and where in its source.
struct Where {
    std::uint32_t device = 0;
    CoreCoord core;  ///< logical coordinates
    Processor processor = Processor::Riscv0;
    std::string kernel;  ///< path of the kernel's source
    std::string file;    ///< file of the call, which may be a header of the kernel
    std::uint32_t line = 0;
};

/// The emulated program broke the machine's contract.
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
