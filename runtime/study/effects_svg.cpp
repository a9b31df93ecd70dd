// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "runtime/study/sensitivity.hpp"

namespace tessera::advise {
namespace {

// Pixels.
constexpr double kRow = 22;
constexpr double kTop = 44;
constexpr double kName = 250;   ///< to the left of the bars
constexpr double kReach = 150;  ///< of a bar to either side
constexpr double kText = 330;   ///< to the right of them
constexpr double kMiddle = kName + kReach;

constexpr const char* kStyle =
    "<style>text{font:12px sans-serif;fill:#333}.name{text-anchor:end}.shorter{fill:#1f6fd6}"
    ".longer{fill:#f28e2b}line{stroke:#666}</style>\n";

std::string effect_text(const std::string& value, double change) {
    return value.empty() ? "" : fmt::format("{:+.2f} % at {}", 100 * change, value);
}

std::string values_text(const ConstantEffect& effect) {
    const std::string low = effect_text(effect.low_value, effect.at_low);
    const std::string high = effect_text(effect.high_value, effect.at_high);
    return low + (low.empty() || high.empty() ? "" : ", ") + high;
}

/// Draws the lower end in the upper half of a row, because both ends may make the run longer.
/// noc.packet_overhead does so for matmul_640, by 3.4 and 1.7 %.
std::string bar(double y, double change, double most) {
    const double width = std::abs(change) / most * kReach;
    return fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>\n",
        change < 0 ? "shorter" : "longer", change < 0 ? kMiddle - width : kMiddle, y, width,
        kRow / 2 - 4);
}

std::string line_of(const ConstantEffect& effect, double y, double most) {
    return fmt::format(
        "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n{}{}"
        "<text x=\"{}\" y=\"{}\">{}</text>\n",
        kName - 8, y + 15, effect.key, bar(y + 4, effect.at_low, most),
        bar(y + kRow / 2, effect.at_high, most), kMiddle + kReach + 8, y + 15, values_text(effect));
}

/// Names of runs are a user's own.
std::string escaped(const std::string& text) {
    std::string svg;
    for (const char letter : text) {
        svg += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : std::string(1, letter);
    }
    return svg;
}

}  // namespace

std::string effects_svg(std::span<const ConstantEffect> effects, const std::string& run) {
    const auto shown = largest_effects(effects);
    const double most = shown.empty() ? 1 : largest_of(shown.front());
    const double height = kTop + kRow * static_cast<double>(shown.size());
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\">\n{}"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"8\" y=\"16\">{}: change of the makespan with one constant at either end of its "
        "range</text>\n<text x=\"8\" y=\"34\">{}</text>\n",
        kMiddle + kReach + kText, height + 8, kStyle, escaped(run),
        shown.empty() ? "no constant changes it" : "shorter to the left, longer to the right");
    for (std::size_t i = 0; i < shown.size(); ++i) {
        svg += line_of(shown[i], kTop + kRow * static_cast<double>(i), most);
    }
    fmt::format_to(std::back_inserter(svg),
                   "<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>\n</svg>\n", kMiddle, kTop,
                   height);
    return svg;
}

}  // namespace tessera::advise
