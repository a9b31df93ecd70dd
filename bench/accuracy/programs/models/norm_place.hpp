// SPDX-License-Identifier: Apache-2.0
// Which cores a norm of sharded rows runs on, and in what pieces, for rows that leave it out.
#pragma once

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/row.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/data_format.hpp"

namespace tessera::score {

/// How gamma lies in DRAM: as tiles, or as rows of a tile's width.
enum class NormGamma : std::uint8_t { None, Tiles, Rows };
/// The first core of all, the first of a row of cores, any other.
enum class NormRole : std::uint8_t { First, Gatherer, Other };

/// What the row of a norm leaves out.
struct NormPlace {
    std::string_view workload;  ///< begins so
    bool is_distributed;        ///< two ops, as when devices gather sums between them
    CoreCoord first;
    GridSize grid;
    std::uint32_t most_subblock;  ///< tiles that DST is handed over with
    NormGamma gamma;
    MathFidelity fidelity;
};

struct Norm {
    NormPlace place;
    std::uint32_t tiles;     ///< of a shard
    std::uint32_t subblock;  ///< of them
};

/// Errors   NotExpressible if the row's norm is none of those known here, it is of another number
///          of cores, or its columns are not whole tiles on each.
[[nodiscard]] Norm norm_of(const Row& row, const Parameters& parameters);

[[nodiscard]] CoreRangeSet cores_at(CoreCoord first, GridSize grid);
[[nodiscard]] NormRole role_of(const Norm& norm, CoreCoord core);

}  // namespace tessera::score
