// SPDX-License-Identifier: Apache-2.0
// Properties of the output of text: its width, and whether it has colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tessera::report {

enum class Colour : std::uint8_t { Off, On };

struct TextStyle {
    /// Columns of the terminal; unlimited in a pipe.
    std::size_t width = std::numeric_limits<std::size_t>::max();
    Colour colour = Colour::Off;
};

/// Meaning of a piece of text, which decides its colour.
enum class Tone : std::uint8_t { Plain, Heading, Good, Bad };

/// Returns `text`, coloured by tone if the style has colours.
[[nodiscard]] std::string painted(std::string_view text, Tone tone, const TextStyle& style);

/// Returns `text`, coloured on a ramp from cold (0) to hot (1) if the style has colours.
[[nodiscard]] std::string heated(std::string_view text, double heat, const TextStyle& style);

/// Returns `text`, cut to `width` columns with "…" at its end if it is longer; colours do not
/// count.
[[nodiscard]] std::string clipped(const std::string& text, std::size_t width);

/// Returns lines of `text` that are wider than `width`, or than 100 columns in a pipe, broken at
/// spaces. Continued lines are indented by four more spaces than the line; colours do not count.
[[nodiscard]] std::string wrapped(const std::string& text, const TextStyle& style);

/// Returns the columns of UTF-8 text on a terminal, one per code point; the text has no colours.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

}  // namespace tessera::report
