// SPDX-License-Identifier: Apache-2.0
// Parses the parameters of a row: "mem=L1;bytes_per_txn=64;grid=2x2". The meaning of a key is
// defined by its user.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/data_format.hpp"

namespace tessera::score {

/// Reports a row that no program of the score can run, with the reason. Ends the row, not the run.
class NotExpressible : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Ends the row with the formatted reason unless `holds`.
template <class... Args>
void expressible(bool holds, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds) {
        throw NotExpressible(fmt::format(format, std::forward<Args>(args)...));
    }
}

/// Values by key. A getter ends the row (NotExpressible) if the key is missing or its value has the
/// wrong form. A getter `…_or` returns the fallback only if the key is missing.
class Parameters {
public:
    /// Errors   NotExpressible if a part is not key=value or a key is repeated.
    explicit Parameters(std::string_view text);

    [[nodiscard]] bool has(std::string_view key) const noexcept;
    [[nodiscard]] const std::string& text(std::string_view key) const;
    [[nodiscard]] std::string text_or(std::string_view key, std::string_view fallback) const;
    /// Returns a whole number from 0. Text may follow after a comma or blank: "12, one a bank".
    [[nodiscard]] std::uint32_t count(std::string_view key) const;
    [[nodiscard]] std::uint32_t count_or(std::string_view key, std::uint32_t fallback) const;
    /// Returns a whole number of 64 bits, in the same form.
    [[nodiscard]] std::uint64_t long_count(std::string_view key) const;
    /// Parses "True" or "False".
    [[nodiscard]] bool flag(std::string_view key) const;
    [[nodiscard]] bool flag_or(std::string_view key, bool fallback) const;
    /// Parses "8x4": columns and rows.
    [[nodiscard]] GridSize grid(std::string_view key) const;
    /// Parses "BFLOAT16", "BFP8", "BFLOAT8_B", "FLOAT32", …
    [[nodiscard]] DataFormat format(std::string_view key) const;
    [[nodiscard]] MathFidelity fidelity(std::string_view key) const;
    /// Parses "5x9x32x64": extents, outermost first.
    [[nodiscard]] std::vector<std::uint32_t> shape(std::string_view key) const;

private:
    [[nodiscard]] const std::string* find(std::string_view key) const noexcept;
    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace tessera::score
