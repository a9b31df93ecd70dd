// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tessera::sweep {
namespace {

constexpr double kLabelWidth = 300;
constexpr double kPlotWidth = 560;
constexpr double kValueWidth = 100;
constexpr double kBarsWidth = kLabelWidth + kPlotWidth + kValueWidth;
constexpr double kLinesWidth = kLabelWidth / 3 + kPlotWidth + 20;
constexpr double kRow = 22;
constexpr double kBarHeight = 14;
constexpr double kLinesHeight = 260;
constexpr double kAxis = 40;

constexpr int kTicks = 4;

// Apart in hue and in lightness, readable on light and on dark.
constexpr std::array<const char*, 12> kColours{"#4a7fc9", "#d98032", "#4fa36a", "#c4504f",
                                               "#8f6cc0", "#96705f", "#d07fb5", "#808891",
                                               "#aaa83a", "#3fa9b8", "#2f6f73", "#e0b0a0"};

const char* colour(std::size_t index) {
    return kColours[index % kColours.size()];
}

std::string microseconds(double nanoseconds) {
    return fmt::format("{:.2f} us", nanoseconds / 1000);
}

std::string interval_text(const compare::Nanoseconds& time) {
    return fmt::format("{} ({} to {})", microseconds(time.expected), microseconds(time.low),
                       microseconds(time.high));
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
    return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor,
                       escaped(text));
}

// Coordinates, width and height, then the fill.
std::string rectangle(const std::array<double, 4>& box, const std::string& fill,
                      const std::string& title) {
    return fmt::format(
        R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}"><title>{}</title></rect>)",
        box[0], box[1], box[2], box[3], fill, escaped(title));
}

std::string stroke(double x1, double y1, double x2, double y2, const char* style) {
    return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)", x1, y1, x2,
                       y2, style);
}

std::string picture(double width, double height, const std::string& name,
                    const std::string& inside) {
    return fmt::format(
        R"(<div class="scroll"><svg viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img" aria-label="{2}">{3}</svg></div>)",
        width, height, escaped(name), inside);
}

// The least of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is no less than `step`.
double round_tick(double step) {
    if (step <= 0) {
        return step;
    }
    const double power = std::pow(10, std::floor(std::log10(step)));
    for (const double factor : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
        if (factor * power >= step) {
            return factor * power;
        }
    }
    return 10 * power;
}

double scale(double value, double most) {
    return most > 0 ? value / most * kPlotWidth : 0;
}

std::string whisker(const compare::Nanoseconds& time, double most, double y) {
    const double low = kLabelWidth + scale(time.low, most);
    const double high = kLabelWidth + scale(time.high, most);
    constexpr const char* kInk = "stroke=\"var(--ink)\"";
    return stroke(low, y, high, y, kInk) + stroke(low, y - 4, low, y + 4, kInk) +
           stroke(high, y - 4, high, y + 4, kInk);
}

/// Places of a line plot.
class Frame {
public:
    Frame(std::size_t num_values, double most) : num_values_(num_values), most_(most) {}
    [[nodiscard]] double x(std::size_t value) const {
        return kLabelWidth / 3 +
               (static_cast<double>(value) + 0.5) * kPlotWidth / static_cast<double>(num_values_);
    }
    [[nodiscard]] double y(double time) const {
        return kLinesHeight - (most_ > 0 ? time / most_ * (kLinesHeight - 20) : 0);
    }

private:
    std::size_t num_values_;
    double most_;
};

std::string axes(const LinePlot& plot, const Frame& frame, double most) {
    std::string text;
    for (int tick = 0; tick <= kTicks; ++tick) {
        const double time = most * tick / kTicks;
        text += stroke(kLabelWidth / 3, frame.y(time), kLabelWidth / 3 + kPlotWidth, frame.y(time),
                       "stroke=\"var(--line)\"") +
                text_at(kLabelWidth / 3 - 6, frame.y(time) + 4, "end",
                        fmt::format("{:g} us", time / 1000));
    }
    for (std::size_t i = 0; i < plot.values.size(); ++i) {
        text += text_at(frame.x(i), kLinesHeight + 16, "middle", plot.values[i]);
    }
    return text + text_at(kLabelWidth / 3 + kPlotWidth / 2, kLinesHeight + 34, "middle", plot.key);
}

std::string line_of(const Line& line, const Frame& frame, std::size_t index) {
    std::string path;
    std::string band;
    std::string back;
    std::string dots;
    for (const LinePoint& point : line.points) {
        const double x = frame.x(point.x);
        path += fmt::format("{:.1f},{:.1f} ", x, frame.y(point.time.expected));
        band += fmt::format("{:.1f},{:.1f} ", x, frame.y(point.time.high));
        back = fmt::format("{:.1f},{:.1f} ", x, frame.y(point.time.low)) + back;
        dots += fmt::format(
            R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>{}</title></circle>)", x,
            frame.y(point.time.expected), colour(index),
            escaped(line.label + ": " + interval_text(point.time)));
    }
    return fmt::format(
        R"(<polygon points="{0}{1}" fill="{2}" opacity="0.13"/><polyline points="{3}" fill="none" stroke="{2}" stroke-width="2"/>{4})",
        band, back, colour(index), path, dots);
}

std::string key_of_colours(const std::vector<std::string>& names) {
    std::string text = R"(<p class="hint">)";
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += fmt::format(
            R"(<span style="white-space:nowrap;margin-right:14px"><span style="display:inline-block;width:10px;height:10px;background:{};margin-right:5px"></span>{}</span> )",
            colour(i), escaped(names[i]));
    }
    return text + "</p>";
}

}  // namespace

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        switch (letter) {
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '&':
                safe += "&amp;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += letter;
        }
    }
    return safe;
}

std::string bar_plot(const std::vector<Bar>& bars) {
    double most = 0;
    for (const Bar& bar : bars) {
        most = std::max({most, bar.time.high, bar.time.expected});
    }
    std::string inside;
    double y = 4;
    for (const Bar& bar : bars) {
        inside += text_at(kLabelWidth - 8, y + 12, "end", bar.label) +
                  rectangle({kLabelWidth, y + 1, scale(bar.time.expected, most), kBarHeight},
                            "var(--bar)", bar.label + ": " + interval_text(bar.time)) +
                  whisker(bar.time, most, y + 1 + kBarHeight / 2) +
                  text_at(kLabelWidth + scale(std::max(bar.time.high, bar.time.expected), most) + 8,
                          y + 12, "start", microseconds(bar.time.expected));
        y += kRow;
    }
    return picture(kBarsWidth, y + 4, "times of the points", inside);
}

std::string stacked_plot(const StackedPlot& plot) {
    double most = 0;
    for (const StackedBar& bar : plot.bars) {
        most = std::max(most, std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0));
    }
    std::string inside;
    double y = 4;
    for (const StackedBar& bar : plot.bars) {
        inside += text_at(kLabelWidth - 8, y + 12, "end", bar.label);
        double x = kLabelWidth;
        for (std::size_t i = 0; i < bar.parts.size(); ++i) {
            const double width = scale(bar.parts[i], most);
            inside += rectangle({x, y + 1, width, kBarHeight}, colour(i),
                                plot.names[i] + ": " + microseconds(bar.parts[i]));
            x += width;
        }
        y += kRow;
    }
    return key_of_colours(plot.names) + picture(kBarsWidth, y + 4, "times by step", inside);
}

std::string line_plot(const LinePlot& plot) {
    double most = 0;
    std::vector<std::string> names;
    for (const Line& line : plot.lines) {
        names.push_back(line.label);
        for (const LinePoint& point : line.points) {
            most = std::max({most, point.time.high, point.time.expected});
        }
    }
    most = kTicks * round_tick(most / kTicks);
    const Frame frame(plot.values.size(), most);
    std::string inside = axes(plot, frame, most);
    for (std::size_t i = 0; i < plot.lines.size(); ++i) {
        inside += line_of(plot.lines[i], frame, i);
    }
    return (names.size() > 1 ? key_of_colours(names) : "") +
           picture(kLinesWidth, kLinesHeight + kAxis, "time over " + plot.key, inside);
}

}  // namespace tessera::sweep
