// SPDX-License-Identifier: Apache-2.0
// Plots predicted against measured values, with one panel per mechanism or per workload.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"

namespace tessera::score {

/// Panels by the mechanism that bounds the time (without circular groups), or by workload.
enum class PanelKind : std::uint8_t { Mechanism, Workload };

/// Returns an SVG with one panel per architecture and mechanism or workload. Each row is a dot, in
/// the order of the file. The x axis is the measured value, the y axis predicted over measured;
/// both are logarithmic. Dots beyond a factor of 4 are drawn on the panel's edge. The band contains
/// 90 % of the rows.
[[nodiscard]] std::string score_svg(std::span<const Row> rows, std::span<const RowScore> scores,
                                    PanelKind kind = PanelKind::Mechanism);

}  // namespace tessera::score
