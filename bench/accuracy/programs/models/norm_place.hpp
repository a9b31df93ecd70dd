// SPDX-License-Identifier: Apache-2.0
// Cores and block sizes of a sharded norm, for rows that do not state them.
#pragma once

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/row.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/data_format.hpp"

namespace tessera::score {

/// Layout of gamma in DRAM: tiles, or rows of a tile's width.
enum class NormGamma : std::uint8_t { None, Tiles, Rows };
/// Role of a core: the first of all, the first of a row of cores, each other core.
enum class NormRole : std::uint8_t { First, Gatherer, Other };

/// Properties of a norm that its row does not state.
struct NormPlace {
    std::string_view workload;  ///< start of the row's workload
    bool is_distributed;        ///< two ops, as if devices gathered sums between them
    CoreCoord first;
    GridSize grid;
    std::uint32_t most_subblock;  ///< largest number of tiles per DST handover
    NormGamma gamma;
    MathFidelity fidelity;
};

struct Norm {
    NormPlace place;
    std::uint32_t tiles;     ///< per shard
    std::uint32_t subblock;  ///< per subblock
};

/// Returns the norm that a row describes.
/// Errors   NotExpressible if the norm is unknown, has another number of cores, or has columns that
///          are not whole tiles on each core.
[[nodiscard]] Norm norm_of(const Row& row, const Parameters& parameters);

[[nodiscard]] CoreRangeSet cores_at(CoreCoord first, GridSize grid);
[[nodiscard]] NormRole role_of(const Norm& norm, CoreCoord core);

}  // namespace tessera::score
