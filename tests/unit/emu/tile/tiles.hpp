// SPDX-License-Identifier: Apache-2.0
// Tiles for tests of the tile engine, and plain loops over them.
#pragma once

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "emu/tile/format/bf16.hpp"
#include "tessera/data_format.hpp"

namespace tessera::tile {

using TileValues = std::array<float, kTileElements>;

inline float at(const TileValues& tile, std::uint32_t row, std::uint32_t column) {
    return tile[tile_offset(row, column)];
}
inline float& at(TileValues& tile, std::uint32_t row, std::uint32_t column) {
    return tile[tile_offset(row, column)];
}

/// Returns a tile with tile[r][c] = f(r, c).
template <class Function>
TileValues make_tile(Function f) {
    TileValues tile;
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            at(tile, row, column) = static_cast<float>(f(row, column));
        }
    }
    return tile;
}

/// Returns normally distributed values with all 24 significant bits.
inline TileValues random_tile(std::uint32_t seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    return make_tile([&](auto, auto) { return normal(engine); });
}

/// Returns normally distributed bf16 values.
inline TileValues random_bf16_tile(std::uint32_t seed) {
    TileValues tile = random_tile(seed);
    for (float& value : tile) {
        value = round_to_bf16(value);
    }
    return tile;
}

inline std::vector<std::byte> bf16_bytes(const TileValues& tile) {
    std::vector<std::byte> bytes(tile_bytes(DataFormat::Float16_b));
    for (std::size_t i = 0; i < kTileElements; ++i) {
        const std::uint16_t bits = bf16_from_float(tile[i]);
        std::memcpy(bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
    }
    return bytes;
}

inline bool same_bytes(const TileValues& a, const TileValues& b) {
    return std::memcmp(a.data(), b.data(), sizeof(TileValues)) == 0;
}

/// Calls `body(name of the target)` with vector code forced to each target that this host can run.
template <class Body>
void on_each_simd_target(Body body) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().DeInit();
        body(hwy::TargetName(target));
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
}

}  // namespace tessera::tile
