// SPDX-License-Identifier: Apache-2.0
// Plots of a sweep as SVG, drawn in the colours of the page that holds them.
#pragma once

#include <string>
#include <vector>

#include "runtime/study/compare.hpp"

namespace tessera::sweep {

/// Text with what HTML and SVG would take for markup escaped.
[[nodiscard]] std::string escaped(const std::string& text);

struct Bar {
    std::string label;
    compare::Nanoseconds time;
};
/// Horizontal bars of expected times, each with a line from low to high.
[[nodiscard]] std::string bar_plot(const std::vector<Bar>& bars);

/// Parts of a whole, each a colour of its own.
struct StackedBar {
    std::string label;
    std::vector<double> parts;  ///< nanoseconds, by StackedPlot::names
};
struct StackedPlot {
    std::vector<std::string> names;
    std::vector<StackedBar> bars;
};
/// Horizontal bars of parts, with a key of the colours.
[[nodiscard]] std::string stacked_plot(const StackedPlot& plot);

struct LinePoint {
    std::size_t x = 0;  ///< index into LinePlot::values
    compare::Nanoseconds time;
};
struct Line {
    std::string label;
    std::vector<LinePoint> points;  ///< by x
};
struct LinePlot {
    std::string key;
    std::vector<std::string> values;  ///< in the order of the axis
    std::vector<Line> lines;
};
/// Expected times over the values of one key, with a band from low to high for each line.
[[nodiscard]] std::string line_plot(const LinePlot& plot);

}  // namespace tessera::sweep
