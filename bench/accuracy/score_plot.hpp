// SPDX-License-Identifier: Apache-2.0
// Draws predictions over measurements, a panel for each mechanism that decides the time or for each
// workload.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/accuracy/row.hpp"
#include "bench/accuracy/score_rows.hpp"

namespace tessera::score {

/// What a panel is of: what decides the time, circular groups left out, or what ran.
enum class PanelKind : std::uint8_t { Mechanism, Workload };

/// An SVG with a panel for each architecture and mechanism or workload: a dot for each row, its
/// measured value to the right and predicted over measured upwards, both logarithmic, in the order
/// of the file. Dots beyond a factor of 4 lie on the panel's edge. The band is what nine of ten
/// rows lie within.
[[nodiscard]] std::string score_svg(std::span<const Row> rows, std::span<const RowScore> scores,
                                    PanelKind kind = PanelKind::Mechanism);

}  // namespace tessera::score
