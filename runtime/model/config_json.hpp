// SPDX-License-Identifier: Apache-2.0
// A model's config.json as Hugging Face ships it: values by key, each with its place in the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::model {

/// Allowed values of a whole number.
struct CountRange {
    std::uint32_t least = 1;
    std::uint32_t most = 1U << 24U;
};

/// Inclusive bounds of a number.
struct NumberRange {
    double least = std::numeric_limits<double>::lowest();
    double most = std::numeric_limits<double>::max();
};
/// Factors and limits that a bfloat16 can hold and that do not turn values around.
inline constexpr NumberRange kPositive{1e-30, 1e30};

/// The keys of one file, or of the section that describes its language model (`text_config`).
/// A value of null counts as absent, as in the transformers library.
class ConfigJson {
public:
    /// Reads a file.
    /// Errors   UsageError if it cannot be read, is not JSON (line and column), or holds no object.
    explicit ConfigJson(const std::filesystem::path& path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Reads keys of this section from now on, if there is one. Nested models have theirs there.
    void enter(std::string_view section);

    /// Returns whether the key has a value other than null.
    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] bool is_null(std::string_view key) const;
    /// Returns "FILE:LINE:COLUMN: KEY" for messages; without a position if the key is absent.
    [[nodiscard]] std::string place(std::string_view key) const;

    // Each returns the value of a key.
    // Errors   UsageError with the place, the value and what is allowed: for an absent key, a value
    //          of another type, and a number out of range.
    [[nodiscard]] std::uint32_t count(std::string_view key, CountRange range = {}) const;
    [[nodiscard]] double number(std::string_view key, NumberRange range = {}) const;
    [[nodiscard]] bool flag(std::string_view key) const;
    [[nodiscard]] std::string text(std::string_view key) const;
    /// Words of a list; a single word counts as a list of one.
    [[nodiscard]] std::vector<std::string> words(std::string_view key) const;
    /// Whole numbers of a list.
    [[nodiscard]] std::vector<std::uint32_t> counts(std::string_view key, CountRange range) const;
    /// Returns the keys of this map, sorted.
    [[nodiscard]] std::vector<std::string> keys() const;
    /// Returns a map below this one, such as rope_scaling.
    [[nodiscard]] ConfigJson section(std::string_view key) const;

    /// Refuses the value of a key because of another key.
    [[noreturn]] void refuse_beside(std::string_view key, std::string_view allowed) const;

private:
    struct Position {
        std::size_t line = 0;
        std::size_t column = 0;
    };

    ConfigJson() = default;
    [[nodiscard]] const nlohmann::json* find(std::string_view key) const;
    /// Returns a value that must be there.
    [[nodiscard]] const nlohmann::json& at(std::string_view key) const;
    [[noreturn]] void refuse(std::string_view key, const nlohmann::json& found,
                             std::string_view allowed) const;
    /// Errors   UsageError if an object has a key twice: the parser would keep the last alone.
    void read_positions(const std::string& text);

    std::string path_;
    nlohmann::json values_;
    std::string prefix_;  ///< prefix of this section's keys in `positions_`
    std::map<std::string, Position, std::less<>> positions_;
};

}  // namespace tessera::model
