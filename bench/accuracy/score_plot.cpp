// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/accuracy/residues.hpp"

namespace tessera::score {
namespace {

// Pixels of a panel and of the drawing. Three panels side by side fit a documentation page.
constexpr std::size_t kColumns = 3;
constexpr double kWidth = 270;
constexpr double kHeight = 130;
constexpr double kGap = 52;
constexpr double kLeft = 44;
constexpr double kTop = 46;
constexpr double kFarthest = 4;  ///< factor at a panel's upper edge

struct Dot {
    double measured = 0;
    double ratio = 0;
};

struct Panel {
    std::string title;
    std::vector<Dot> dots;
};

std::string title_of(const Row& row, const RowScore& score, PanelKind kind) {
    return fmt::format("{}, {}", row.arch,
                       kind == PanelKind::Workload
                           ? row.workload
                           : std::string(name_of(*score.prediction->regime)));
}

/// Sort key of a panel: mechanisms in enum order, workloads by name.
using PanelKey = std::tuple<std::string, int, std::string>;

std::vector<Panel> panels_of(std::span<const Row> rows, std::span<const RowScore> scores,
                             PanelKind kind) {
    const bool by_workload = kind == PanelKind::Workload;
    std::map<PanelKey, Panel> panels;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& prediction = scores[i].prediction;
        if (!prediction || (!by_workload && !has_residue(rows[i], scores[i]))) {
            continue;
        }
        Panel& panel =
            panels[{rows[i].arch, by_workload ? 0 : static_cast<int>(*prediction->regime),
                    by_workload ? rows[i].workload : ""}];
        panel.title = title_of(rows[i], scores[i], kind);
        panel.dots.push_back({rows[i].value, prediction->expected / rows[i].value});
    }
    std::vector<Panel> list;
    for (auto& [key, panel] : panels) {
        list.push_back(std::move(panel));
    }
    return list;
}

/// Axes of a panel: convert values to pixels inside of it.
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

/// Shortens a title to the width of a panel.
std::string shortened(const std::string& title) {
    constexpr std::size_t kMost = 44;
    return title.size() <= kMost ? title : title.substr(0, kMost - 1) + "…";
}

/// Escapes text from a measurement file for SVG.
std::string escaped(const std::string& text) {
    std::string svg;
    for (const char letter : text) {
        svg += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : std::string(1, letter);
    }
    return svg;
}

void add_frame(std::string& svg, const Panel& panel, const Axes& axes) {
    auto out = std::back_inserter(svg);
    std::vector<double> ratios;
    for (const Dot& dot : panel.dots) {
        ratios.push_back(dot.ratio);
    }
    const Spread spread = spread_of(ratios);
    fmt::format_to(out, "<text y=\"-20\" class=\"title\">{}</text>\n",
                   escaped(shortened(panel.title)));
    fmt::format_to(out, "<text y=\"-7\">{} row{}, {:+.1f} %</text>\n", ratios.size(),
                   ratios.size() == 1 ? "" : "s", 100 * spread.bias);
    const double top = Axes::y(1 + spread.nine_of_ten);
    const double bottom = Axes::y(1 / (1 + spread.nine_of_ten));
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

void add_panel(std::string& svg, const Panel& panel) {
    const Axes axes(panel.dots);
    add_frame(svg, panel, axes);
    for (const Dot& dot : panel.dots) {
        fmt::format_to(std::back_inserter(svg), "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>\n",
                       axes.x(dot.measured), Axes::y(dot.ratio));
    }
}

constexpr const char* kStyle =
    "<style>text{font:11px sans-serif;fill:#444}.title{font-weight:bold}.end{text-anchor:end}"
    ".band{fill:#dde8f4}.grid{stroke:#ccc}.one{stroke:#333}circle{fill:#1f5fa8;fill-opacity:.45}"
    "</style>\n";

}  // namespace

std::string score_svg(std::span<const Row> rows, std::span<const RowScore> scores, PanelKind kind) {
    const std::vector<Panel> panels = panels_of(rows, scores, kind);
    const std::size_t lines = (panels.size() + kColumns - 1) / kColumns;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\">\n{}"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        "<text x=\"8\" y=\"14\">predicted over measured, by {}; band: nine of "
        "ten rows; to the right: the measured value in the row's unit</text>\n",
        kColumns * (kWidth + kLeft + kGap / 4),
        kTop + static_cast<double>(lines) * (kHeight + kGap), kStyle,
        kind == PanelKind::Workload ? "what ran" : "what decides the time");
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const auto column = static_cast<double>(i % kColumns);
        const auto line = static_cast<double>(i / kColumns);
        fmt::format_to(std::back_inserter(svg), "<g transform=\"translate({},{})\">\n",
                       kLeft + column * (kWidth + kLeft), kTop + line * (kHeight + kGap) + 8);
        add_panel(svg, panels[i]);
        svg += "</g>\n";
    }
    return svg + "</svg>\n";
}

}  // namespace tessera::score
