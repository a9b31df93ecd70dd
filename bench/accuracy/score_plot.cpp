// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "bench/accuracy/residues.hpp"

namespace tessera::score {
namespace {

// Pixels of a panel and of the drawing; three panels side by side fit a page of documentation.
constexpr std::size_t kColumns = 3;
constexpr double kWidth = 270;
constexpr double kHeight = 130;
constexpr double kGap = 40;
constexpr double kLeft = 44;
constexpr double kTop = 34;
constexpr double kFarthest = 4;  ///< factor at a panel's upper edge

struct Dot {
    double measured = 0;
    double ratio = 0;
};

std::vector<Dot> dots_of(std::span<const Row> rows, std::span<const RowScore> scores,
                         const RegimeResidue& residue) {
    std::vector<Dot> dots;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (has_residue(rows[i], scores[i]) && rows[i].arch == residue.arch &&
            scores[i].prediction->regime == residue.regime) {
            dots.push_back({rows[i].value, scores[i].prediction->expected / rows[i].value});
        }
    }
    return dots;
}

/// A panel's axes: from values to pixels inside of it.
class Axes {
public:
    explicit Axes(const std::vector<Dot>& dots) {
        for (const Dot& dot : dots) {
            low_ = std::min(low_, std::log10(dot.measured));
            high_ = std::max(high_, std::log10(dot.measured));
        }
    }
    [[nodiscard]] double x(double measured) const {
        const double span = high_ - low_;
        return span > 0 ? kWidth * (std::log10(measured) - low_) / span : kWidth / 2;
    }
    [[nodiscard]] static double y(double ratio) {
        const double place = std::log(ratio) / std::log(kFarthest);
        return kHeight / 2 * (1 - std::clamp(place, -1.0, 1.0));
    }
    [[nodiscard]] double first() const { return std::pow(10, low_); }
    [[nodiscard]] double last() const { return std::pow(10, high_); }

private:
    double low_ = std::numeric_limits<double>::infinity();
    double high_ = -std::numeric_limits<double>::infinity();
};

void add_frame(std::string& svg, const RegimeResidue& residue, const Axes& axes) {
    auto out = std::back_inserter(svg);
    fmt::format_to(out, "<text y=\"-8\" class=\"title\">{}, {}: {} row{}, {:+.1f} %</text>\n",
                   residue.arch, name_of(residue.regime), residue.count,
                   residue.count == 1 ? "" : "s", 100 * residue.bias);
    const double top = Axes::y(1 + residue.nine_of_ten);
    const double bottom = Axes::y(1 / (1 + residue.nine_of_ten));
    fmt::format_to(out, "<rect y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" class=\"band\"/>\n", top,
                   kWidth, bottom - top);
    for (const double ratio : {kFarthest, 2.0, 1.0, 1 / 2.0, 1 / kFarthest}) {
        fmt::format_to(out, "<path d=\"M0 {0:.1f}H{1}\" class=\"{2}\"/>", Axes::y(ratio), kWidth,
                       ratio == 1 ? "one" : "grid");
        fmt::format_to(out, "<text x=\"-4\" y=\"{:.1f}\" class=\"end\">{}</text>\n",
                       Axes::y(ratio) + 3, ratio);
    }
    fmt::format_to(out, "<text y=\"{}\">{:.3g}</text>", kHeight + 12, axes.first());
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" class=\"end\">{:.3g}</text>\n", kWidth,
                   kHeight + 12, axes.last());
}

void add_panel(std::string& svg, const RegimeResidue& residue, const std::vector<Dot>& dots) {
    const Axes axes(dots);
    add_frame(svg, residue, axes);
    for (const Dot& dot : dots) {
        fmt::format_to(std::back_inserter(svg), "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>\n",
                       axes.x(dot.measured), Axes::y(dot.ratio));
    }
}

constexpr const char* kStyle =
    "<style>text{font:11px sans-serif;fill:#444}.title{font-weight:bold}.end{text-anchor:end}"
    ".band{fill:#dde8f4}.grid{stroke:#ccc}.one{stroke:#333}circle{fill:#1f5fa8;fill-opacity:.45}"
    "</style>\n";

}  // namespace

std::string score_svg(std::span<const Row> rows, std::span<const RowScore> scores) {
    const std::vector<RegimeResidue> residues = residues_of(rows, scores);
    const std::size_t lines = (residues.size() + kColumns - 1) / kColumns;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\">\n{}"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"8\" y=\"14\">predicted over measured, by what decides the time; band: nine of "
        "ten rows; to the right: the measured value in the row's unit</text>\n",
        kColumns * (kWidth + kLeft + kGap / 4),
        kTop + static_cast<double>(lines) * (kHeight + kGap), kStyle);
    for (std::size_t i = 0; i < residues.size(); ++i) {
        const auto column = static_cast<double>(i % kColumns);
        const auto line = static_cast<double>(i / kColumns);
        fmt::format_to(std::back_inserter(svg), "<g transform=\"translate({},{})\">\n",
                       kLeft + column * (kWidth + kLeft), kTop + line * (kHeight + kGap) + 8);
        add_panel(svg, residues[i], dots_of(rows, scores, residues[i]));
        svg += "</g>\n";
    }
    return svg + "</svg>\n";
}

}  // namespace tessera::score
