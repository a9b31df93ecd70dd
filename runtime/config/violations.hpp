// SPDX-License-Identifier: Apache-2.0
// Mistakes of a configuration, collected so that all are reported together.
#pragma once

#include <string>
#include <vector>

#include "emu/base/fields/origin.hpp"

namespace tessera::config {

/// List of mistakes.
class Violations {
public:
    /// Records `origin: path: text`, once for all repetitions of a repeated step or tensor.
    void add(const Origin& origin, const std::string& path, const std::string& text);
    /// Returns whether a mistake of this value is recorded.
    [[nodiscard]] bool has(const Origin& origin, const std::string& path) const;
    /// Returns whether a mistake of a key of the map `path` is recorded.
    [[nodiscard]] bool has_below(const std::string& path) const;
    /// Appends the mistakes of `others`.
    void append(const Violations& others);
    [[nodiscard]] bool empty() const noexcept { return found_.empty(); }
    /// Throws ConfigError with one line for each mistake, sorted by file, line and column. Mistakes
    /// of overrides come last, in the order in which they were found.
    void throw_if_any() const;

private:
    struct Violation {
        Origin origin;
        std::string message;
    };
    std::vector<Violation> found_;
};

}  // namespace tessera::config
