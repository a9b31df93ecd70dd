// SPDX-License-Identifier: Apache-2.0
// What a row says of its workload: "mem=L1;bytes_per_txn=64;grid=2x2". Not here: what a key means.
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

/// A row that no program here stands for; says why. Ends the row, not the run.
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

/// Values by key. Each getter ends the row (NotExpressible) if the key is missing or its value has
/// another form; `…_or` take the fallback for a missing key only.
class Parameters {
public:
    /// Errors   NotExpressible if a part is not key=value or a key comes twice.
    explicit Parameters(std::string_view text);

    [[nodiscard]] bool has(std::string_view key) const noexcept;
    [[nodiscard]] const std::string& text(std::string_view key) const;
    [[nodiscard]] std::string text_or(std::string_view key, std::string_view fallback) const;
    /// A whole number from 0, which text may follow behind a comma or blank: "12, one a bank".
    [[nodiscard]] std::uint32_t count(std::string_view key) const;
    [[nodiscard]] std::uint32_t count_or(std::string_view key, std::uint32_t fallback) const;
    /// The same with 64 bits.
    [[nodiscard]] std::uint64_t long_count(std::string_view key) const;
    /// "True" or "False".
    [[nodiscard]] bool flag(std::string_view key) const;
    [[nodiscard]] bool flag_or(std::string_view key, bool fallback) const;
    /// "8x4": columns and rows.
    [[nodiscard]] GridSize grid(std::string_view key) const;
    /// "BFLOAT16", "BFP8", "BFLOAT8_B", "FLOAT32", …
    [[nodiscard]] DataFormat format(std::string_view key) const;
    [[nodiscard]] MathFidelity fidelity(std::string_view key) const;
    /// "5x9x32x64": extents, outermost first.
    [[nodiscard]] std::vector<std::uint32_t> shape(std::string_view key) const;

private:
    [[nodiscard]] const std::string* find(std::string_view key) const noexcept;
    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace tessera::score
