// SPDX-License-Identifier: Apache-2.0
// Welford's algorithm: mean and variance of each column, over rows and tiles.
#include <algorithm>
#include <bit>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "tessera/kernel/compute/sfpu_blocks.hpp"

namespace tessera::kernel {
namespace {

float reciprocal(ReciprocalTable table, std::uint32_t index) {
    return index < table.size() ? std::bit_cast<float>(table[index])
                                : 1.0F / static_cast<float>(index + 1);
}

/// Place of a column's state in the chip's raw form: 32 lanes are stored as four rows of eight
/// values, in every second column; each group of values takes four rows.
std::uint32_t raw_place(std::uint32_t lane, std::uint32_t group) {
    constexpr std::uint32_t kLanesOfRow = 8;
    constexpr std::uint32_t kRowsOfGroup = 4;
    return tile_offset(group * kRowsOfGroup + lane / kLanesOfRow, 2 * (lane % kLanesOfRow));
}

void require_group(std::uint32_t group, CallSite site) {
    if (group >= kTileRows / 4) {
        fault(FaultCategory::OutOfBounds, site, "welford group {}; allowed: 0 to 7", group);
    }
}

}  // namespace

void welford_clear(CallSite site) {
    VectorRegisters& registers = current_units("welford_clear", site).vector_registers;
    registers.mean.fill(0);
    registers.squares.fill(0);
}

void welford_update(std::uint32_t idst, std::uint32_t start, TileRows rows, ReciprocalTable table,
                    CallSite site) {
    constexpr const char* kCall = "welford_update";
    ComputeState& units = current_units(kCall, site);
    const float* tile = units.dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    VectorRegisters& registers = units.vector_registers;
    const std::uint32_t end = std::min(rows.first + rows.count, kTileRows);
    for (std::uint32_t row = rows.first; row < end; ++row) {
        const float share = reciprocal(table, start + row - rows.first);
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            const float value = tile[tile_offset(row, column)];
            const float distance = value - registers.mean[column];
            registers.mean[column] += distance * share;
            registers.squares[column] += distance * (value - registers.mean[column]);
        }
    }
}

namespace {

/// Tiles of means and of sums of squares (or variances), one behind the other in DST.
struct WelfordTiles {
    ComputeState& units;
    float* means;
    float* squares;
};

WelfordTiles open_tiles(const char* call, std::uint32_t idst, std::uint32_t group, CallSite site) {
    require_group(group, site);
    ComputeState& units = current_units(call, site);
    float* means = dst_tile_as_is(units.dst, idst, call, site);
    float* squares = dst_tile_as_is(units.dst, idst + 1, call, site);
    record_sfpu(current_thread(), call, site);
    return {units, means, squares};
}

}  // namespace

void welford_move(WelfordMove move, std::uint32_t idst, std::uint32_t group, CallSite site) {
    const char* call = move == WelfordMove::Save ? "welford_save_state" : "welford_restore_state";
    const auto [units, means, squares] = open_tiles(call, idst, group, site);
    if (units.maths == Maths::Off) {
        return;
    }
    for (std::uint32_t lane = 0; lane < kTileColumns; ++lane) {
        const std::uint32_t place = raw_place(lane, group);
        if (move == WelfordMove::Save) {
            means[place] = units.vector_registers.mean[lane];
            squares[place] = units.vector_registers.squares[lane];
        } else {
            units.vector_registers.mean[lane] = means[place];
            units.vector_registers.squares[lane] = squares[place];
        }
    }
}

void welford_finalize(WelfordLayout layout, std::uint32_t idst, std::uint32_t group,
                      std::uint32_t scale, ReciprocalTable table, CallSite site) {
    const char* call =
        layout == WelfordLayout::Row ? "welford_finalize_to_row" : "welford_finalize_to_face";
    const auto [units, means, variances] = open_tiles(call, idst, group, site);
    if (units.maths == Maths::Off) {
        return;
    }
    for (std::uint32_t lane = 0; lane < kTileColumns; ++lane) {
        const std::uint32_t place =
            layout == WelfordLayout::Row ? tile_offset(0, lane) : raw_place(lane, group);
        means[place] = units.vector_registers.mean[lane];
        variances[place] = units.vector_registers.squares[lane] * reciprocal(table, scale);
    }
    round_for_dst(units.dst, means);
    round_for_dst(units.dst, variances);
}

}  // namespace tessera::kernel
