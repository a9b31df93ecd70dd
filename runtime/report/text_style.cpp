// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/text_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::report {
namespace {

// Colours of the 256-colour palette (blue, cyan, green, yellow, red), each readable on a dark and a
// light background.
constexpr std::array kRamp{33, 37, 34, 136, 160};

const char* code_of(Tone tone) {
    switch (tone) {
        case Tone::Heading:
            return "\033[1m";
        case Tone::Good:
            return "\033[1;32m";
        case Tone::Bad:
            return "\033[1;31m";
        case Tone::Plain:
            return "";
    }
    return "";
}

}  // namespace

std::string painted(std::string_view text, Tone tone, const TextStyle& style) {
    if (style.colour == Colour::Off || tone == Tone::Plain) {
        return std::string(text);
    }
    return fmt::format("{}{}\033[0m", code_of(tone), text);
}

std::string heated(std::string_view text, double heat, const TextStyle& style) {
    if (style.colour == Colour::Off) {
        return std::string(text);
    }
    const double clamped = std::clamp(heat, 0.0, 1.0);
    const auto step = static_cast<std::size_t>(std::lround(clamped * (kRamp.size() - 1)));
    return fmt::format("\033[38;5;{}m{}\033[0m", kRamp[step], text);
}

namespace {

// A wider terminal has its own width.
constexpr std::size_t kWidthOfPipe = 100;

std::string without_colours(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\033') {
            at = std::min(text.find('m', at), text.size() - 1);
        } else {
            plain += text[at];
        }
    }
    return plain;
}

std::string wrapped_line(std::string_view line, std::size_t width) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string result(line.substr(0, indent));
    std::size_t columns = indent;
    for (std::size_t at = indent; at < line.size();) {
        const std::size_t space = line.find_first_not_of(' ', at);
        std::size_t end = std::min(line.find(' ', space), line.size());
        if (line.substr(end).starts_with(" %")) {
            end = std::min(line.find(' ', end + 1), line.size());  // a number keeps its sign
        }
        const std::string_view word = line.substr(at, end - at);  // with the spaces before it
        const std::size_t more = columns_of(without_colours(word));
        if (columns + more > width && columns > indent + 4) {
            result += "\n" + std::string(indent + 4, ' ');
            result += line.substr(space, end - space);
            columns = indent + 4 + more - (space - at);
        } else {
            result += word;
            columns += more;
        }
        at = end;
    }
    return result;
}

}  // namespace

std::string wrapped(const std::string& text, const TextStyle& style) {
    const bool is_pipe = style.width == TextStyle{}.width;
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        result += wrapped_line(std::string_view(text).substr(begin, end - begin),
                               is_pipe ? kWidthOfPipe : style.width);
        result += end < text.size() ? "\n" : "";
        begin = end + 1;
    }
    return result;
}

std::size_t columns_of(std::string_view text) noexcept {
    constexpr unsigned kContinuation = 0b10;  // upper two bits of all but a code point's first byte
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char byte) { return static_cast<unsigned char>(byte) >> 6U != kContinuation; }));
}

std::string clipped(const std::string& text, std::size_t width) {
    std::size_t columns = 0;
    std::size_t last_column_at = 0;  // position of "…" if the text is longer
    bool is_in_colour = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        is_in_colour = is_in_colour || text[i] == '\033';
        if (!is_in_colour && columns_of(text.substr(i, 1)) != 0) {
            last_column_at = ++columns == width ? i : last_column_at;
            if (columns > width) {
                const std::string start = text.substr(0, last_column_at);
                return start + "…" + (start.find('\033') == start.npos ? "" : "\033[0m");
            }
        }
        is_in_colour = is_in_colour && text[i] != 'm';
    }
    return text;
}

}  // namespace tessera::report
