// SPDX-License-Identifier: Apache-2.0
// Sums, reductions and broadcasts along rows or columns of tiles in DST.
#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/tile/format/integer.hpp"
#include "tessera/kernel/compute/sfpu_blocks.hpp"

namespace tessera::kernel {

void cumulative_sum(std::uint32_t idst, bool is_first, CallSite site) {
    constexpr const char* kCall = "cumsum_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    auto& sums = units.vector_registers.sums;
    if (is_first) {
        sums.fill(0);
    }
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            float& value = tile[tile_offset(row, column)];
            sums[column] += value;
            value = sums[column];
        }
    }
    round_for_dst(units.dst, tile);
}

namespace {

using ckernel::BroadcastType;
using ckernel::EltwiseBinaryType;
using ckernel::PoolType;
using ckernel::ReduceDim;

/// Reduction of numbers. The first number starts it, because MAX and MIN have no neutral number.
class Reduction {
public:
    explicit Reduction(PoolType pool) : pool_(pool) {}
    void add(double value) {
        switch (pool_) {
            case PoolType::MAX:
                result_ = count_ == 0 ? value : std::max(result_, value);
                break;
            case PoolType::MIN:
                result_ = count_ == 0 ? value : std::min(result_, value);
                break;
            default:
                result_ += value;
        }
        ++count_;
    }
    [[nodiscard]] double result() const {
        return pool_ == PoolType::AVG ? result_ / static_cast<double>(count_) : result_;
    }

private:
    PoolType pool_;
    double result_ = 0;
    std::uint64_t count_ = 0;
};

/// A slot of DST as a number of a format, and back.
double number_in(DataFormat format, float slot) {
    const auto bits = std::bit_cast<std::uint32_t>(slot);
    if (format == DataFormat::Int32) {
        return static_cast<std::int32_t>(bits);
    }
    return tile::is_integer_format(format) ? static_cast<double>(bits) : static_cast<double>(slot);
}
float slot_of(DataFormat format, double number) {
    return tile::is_integer_format(format)
               ? std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<std::int64_t>(number)))
               : static_cast<float>(number);
}

void reduce_column_tile(PoolType pool, DataFormat format, float* tile) {
    for (std::uint32_t column = 0; column < kTileColumns; ++column) {
        Reduction reduction(pool);
        for (std::uint32_t row = 0; row < kTileRows; ++row) {
            reduction.add(number_in(format, tile[tile_offset(row, column)]));
        }
        tile[tile_offset(0, column)] = slot_of(format, reduction.result());
    }
}

/// Reduces each row over the columns of all tiles into column 0 of `result`, the first of them.
void reduce_row_tiles(PoolType pool, DataFormat format, std::span<const float* const> tiles,
                      float* result) {
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        Reduction reduction(pool);
        for (const float* tile : tiles) {
            for (std::uint32_t column = 0; column < kTileColumns; ++column) {
                reduction.add(number_in(format, tile[tile_offset(row, column)]));
            }
        }
        result[tile_offset(row, 0)] = slot_of(format, reduction.result());
    }
}

}  // namespace

void reduce_in_dst(PoolType pool, DataFormat format, ReduceDim dim, std::uint32_t idst,
                   std::uint32_t columns, std::uint32_t rows, const char* call, CallSite site) {
    ComputeState& units = current_units(call, site);
    Dst& dst = units.dst;
    const DstContent content =
        tile::is_integer_format(format) ? DstContent::Integer : DstContent::Float;
    const auto tile_at = [&](std::uint32_t row, std::uint32_t column) {
        return dst.update(idst + row * columns + column, call, site, content);
    };
    record_sfpu(current_thread(), call, site);
    // Integers steer kernels and are computed even without maths.
    if (units.maths == Maths::Off && content == DstContent::Float) {
        return;
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
        float* first = tile_at(row, 0);
        if (dim == ReduceDim::REDUCE_COL) {
            reduce_column_tile(pool, format, first);
        } else {
            std::vector<const float*> tiles;
            for (std::uint32_t column = 0; column < columns; ++column) {
                tiles.push_back(tile_at(row, column));
            }
            reduce_row_tiles(pool, format, tiles, first);
        }
        if (content == DstContent::Float) {
            round_for_dst(dst, first);
        }
    }
}

void largest_of_rows(std::uint32_t idst, std::uint32_t idst_index, std::uint32_t num_rows,
                     CallSite site) {
    constexpr const char* kCall = "max_reduce_with_indices";
    ComputeState& units = current_units(kCall, site);
    float* values = dst_tile_as_is(units.dst, idst, kCall, site);
    float* indices = dst_tile_as_is(units.dst, idst_index, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    if (units.maths == Maths::Off) {
        return;
    }
    for (std::uint32_t column = 0; column < kTileColumns; ++column) {
        std::uint32_t best = 0;
        for (std::uint32_t row = 1; row < std::min(num_rows, kTileRows); ++row) {
            if (values[tile_offset(row, column)] > values[tile_offset(best, column)]) {
                best = row;
            }
        }
        values[tile_offset(0, column)] = values[tile_offset(best, column)];
        indices[tile_offset(0, column)] = indices[tile_offset(best, column)];
    }
}

void broadcast_in_dst(EltwiseBinaryType type, BroadcastType dim, std::uint32_t idst,
                      std::uint32_t idst_vector, const char* call, CallSite site) {
    ComputeState& units = current_units(call, site);
    float* tile = units.dst.update(idst, call, site);
    const float* vector = units.dst.update(idst_vector, call, site);
    record_sfpu(current_thread(), call, site);
    if (units.maths == Maths::Off) {
        return;
    }
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            const bool is_column = dim == BroadcastType::COL;
            const float other = vector[tile_offset(is_column ? row : 0, is_column ? 0 : column)];
            float& value = tile[tile_offset(row, column)];
            value = type == EltwiseBinaryType::ELWADD   ? value + other
                    : type == EltwiseBinaryType::ELWSUB ? value - other
                                                        : value * other;
        }
    }
    round_for_dst(units.dst, tile);
}

}  // namespace tessera::kernel
