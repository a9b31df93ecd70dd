// SPDX-License-Identifier: Apache-2.0
// Where text is going: how wide it may be and whether it may have colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tessera::report {

enum class Colour : std::uint8_t { Off, On };

struct TextStyle {
    /// Columns of the terminal; without limit in a pipe.
    std::size_t width = std::numeric_limits<std::size_t>::max();
    Colour colour = Colour::Off;
};

/// What a piece of text means, and with that its colour.
enum class Tone : std::uint8_t { Plain, Heading, Good, Bad };

/// `text`, coloured by tone where the style has colours.
[[nodiscard]] std::string painted(std::string_view text, Tone tone, const TextStyle& style);

/// `text`, coloured on a ramp from cold (0) to hot (1) where the style has colours.
[[nodiscard]] std::string heated(std::string_view text, double heat, const TextStyle& style);

/// `text`, cut to `width` columns with "…" at its end if it is longer; colours take none.
[[nodiscard]] std::string clipped(const std::string& text, std::size_t width);

/// Columns that UTF-8 text takes on a terminal, one per code point; the text holds no colours.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

}  // namespace tessera::report
