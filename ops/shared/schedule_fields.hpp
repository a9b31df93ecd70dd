// SPDX-License-Identifier: Apache-2.0
// Limits and prose that parameters of several ops share, and the parameters of ops that only spread
// pages over cores.
#pragma once

#include <array>
#include <string_view>

#include "emu/base/fields/field.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

inline constexpr config::Limits kDepth{1, 64};
inline constexpr config::Limits kGridSide{0, 256};
inline constexpr config::Limits kTileCount{0, 1024};
inline constexpr std::string_view kWholeGrid = "[0, 0]";
inline constexpr std::string_view kGridProse = "cores that share the work; [0, 0]: the whole grid";
inline constexpr std::string_view kFidelityProse =
    "mantissa slices that are multiplied; fewer are faster and less accurate";

/// Schedule of ops that move data only: copy, scatter_moe_input, to_layout,
/// prepare_moe_routing_tensors.
struct CopySpec {
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< pages (rows, tiles or blocks of tiles) that each CB holds
};

inline constexpr std::array kCopyFields{
    config::field<&CopySpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&CopySpec::cb_depth>("cb_depth", "2",
                                       "pages in a CB; 2 overlaps reading and writing", kDepth),
};

}  // namespace tessera::ops
