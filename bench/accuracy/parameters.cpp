// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace tessera::score {
namespace {

/// Parses a whole number at the start of `text` and removes it from `text`.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return number;
}

bool ends_number(std::string_view rest) {
    return rest.empty() || rest.front() == ' ' || rest.front() == ',';
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char character) {
        return static_cast<char>(character >= 'A' && character <= 'Z' ? character + 32 : character);
    });
    return result;
}

template <class Value, std::size_t size>
Value look_up(const std::array<std::pair<std::string_view, Value>, size>& table,
              std::string_view key, const std::string& text) {
    const std::string name = lower(text);
    const auto* entry = std::ranges::find(table, name, &std::pair<std::string_view, Value>::first);
    expressible(entry != table.end(), "parameter {} is {}, which is not known", key, text);
    return entry->second;
}

constexpr std::array<std::pair<std::string_view, DataFormat>, 10> kFormats{
    {{"bfloat16", DataFormat::Float16_b},
     {"bf16", DataFormat::Float16_b},
     {"bfloat8_b", DataFormat::Bfp8_b},
     {"bfp8", DataFormat::Bfp8_b},
     {"bfp8_b", DataFormat::Bfp8_b},
     {"bfloat4_b", DataFormat::Bfp4_b},
     {"bfp4", DataFormat::Bfp4_b},
     {"bfp4_b", DataFormat::Bfp4_b},
     {"float32", DataFormat::Float32},
     {"fp32", DataFormat::Float32}}};

constexpr std::array<std::pair<std::string_view, MathFidelity>, 4> kFidelities{
    {{"lofi", MathFidelity::LoFi},
     {"hifi2", MathFidelity::HiFi2},
     {"hifi3", MathFidelity::HiFi3},
     {"hifi4", MathFidelity::HiFi4}}};

}  // namespace

Parameters::Parameters(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = part.find('=');
        expressible(equals != std::string_view::npos, "parameters: {} is not key=value", part);
        const std::string_view key = part.substr(0, equals);
        expressible(!has(key), "parameter {} is given twice", key);
        values_.emplace_back(key, part.substr(equals + 1));
    }
}

const std::string* Parameters::find(std::string_view key) const noexcept {
    const auto found =
        std::ranges::find(values_, key, [](const auto& entry) { return entry.first; });
    return found == values_.end() ? nullptr : &found->second;
}

bool Parameters::has(std::string_view key) const noexcept {
    return find(key) != nullptr;
}

const std::string& Parameters::text(std::string_view key) const {
    const std::string* value = find(key);
    expressible(value != nullptr, "parameter {} is missing", key);
    return *value;
}

std::string Parameters::text_or(std::string_view key, std::string_view fallback) const {
    return has(key) ? text(key) : std::string(fallback);
}

std::uint64_t Parameters::long_count(std::string_view key) const {
    const std::string& value = text(key);
    std::string_view rest = value;
    const std::optional<std::uint64_t> number = take_number(rest);
    expressible(number && ends_number(rest), "parameter {} is {}, not a whole number", key, value);
    return *number;
}

std::uint32_t Parameters::count(std::string_view key) const {
    const std::uint64_t number = long_count(key);
    expressible(number <= std::numeric_limits<std::uint32_t>::max(),
                "parameter {} is {}, beyond 32 bits", key, number);
    return static_cast<std::uint32_t>(number);
}

std::uint32_t Parameters::count_or(std::string_view key, std::uint32_t fallback) const {
    return has(key) ? count(key) : fallback;
}

bool Parameters::flag(std::string_view key) const {
    const std::string value = lower(text(key));
    expressible(value == "true" || value == "false", "parameter {} is {}, not True or False", key,
                text(key));
    return value == "true";
}

bool Parameters::flag_or(std::string_view key, bool fallback) const {
    return has(key) ? flag(key) : fallback;
}

std::vector<std::uint32_t> Parameters::shape(std::string_view key) const {
    const std::string& value = text(key);
    std::string_view rest = value;
    std::vector<std::uint32_t> extents;
    do {
        const std::optional<std::uint64_t> number = take_number(rest);
        expressible(number && *number <= std::numeric_limits<std::uint32_t>::max(),
                    "parameter {} is {}, not numbers joined by x", key, value);
        extents.push_back(static_cast<std::uint32_t>(*number));
        const bool has_more = !rest.empty() && rest.front() == 'x';
        expressible(has_more || ends_number(rest), "parameter {} is {}, not numbers joined by x",
                    key, value);
        rest.remove_prefix(has_more ? 1 : rest.size());
    } while (!rest.empty());
    return extents;
}

GridSize Parameters::grid(std::string_view key) const {
    const std::vector<std::uint32_t> extents = shape(key);
    expressible(extents.size() == 2 && extents[0] > 0 && extents[1] > 0,
                "parameter {} is {}, not columns x rows", key, text(key));
    return {extents[0], extents[1]};
}

DataFormat Parameters::format(std::string_view key) const {
    return look_up(kFormats, key, text(key));
}

MathFidelity Parameters::fidelity(std::string_view key) const {
    return look_up(kFidelities, key, text(key));
}

}  // namespace tessera::score
