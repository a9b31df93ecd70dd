// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpu_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/format/integer.hpp"

namespace tessera::kernel {
namespace {

using ckernel::BroadcastType;
using ckernel::EltwiseBinaryType;
using ckernel::PoolType;
using ckernel::ReduceDim;

/// Elements of a column of two tiles.
constexpr std::uint32_t kSorted = 2 * kTileRows;

/// Two tiles of values at idst and two of indices behind them, by row over both tiles.
class SortedTiles {
public:
    SortedTiles(std::uint32_t idst, const char* call, CallSite site) {
        Dst& dst = current_units(call, site).dst;
        current_thread().last_call = site;
        for (std::uint32_t i = 0; i < 4; ++i) {
            tiles_[i] = dst_tile_as_is(dst, idst + i, call, site);
        }
        record_sfpu(current_thread(), call, site);
    }
    /// Puts the pair into order; `first` is above `second`. Equal values stay.
    void compare(std::uint32_t first, std::uint32_t second, SortOrder order) const {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            float& a = element(0, first, column);
            float& b = element(0, second, column);
            if (order == SortOrder::Descending ? a < b : b < a) {
                std::swap(a, b);
                std::swap(element(2, first, column), element(2, second, column));
            }
        }
    }

private:
    [[nodiscard]] float& element(std::uint32_t tile, std::uint32_t row,
                                 std::uint32_t column) const {
        return tiles_[tile + row / kTileRows][tile_offset(row % kTileRows, column)];
    }
    std::array<float*, 4> tiles_{};
};

SortOrder alternating(SortOrder order, std::uint32_t sequence) {
    return static_cast<SortOrder>(static_cast<std::uint32_t>(order) ^ (sequence & 1U));
}

/// One step of a bitonic network over rows [begin, end): pairs 2^(step − 1) apart, in sequences of
/// `length` rows that alternate in direction.
void network_step(const SortedTiles& tiles, std::uint32_t begin, std::uint32_t end, int step,
                  std::uint32_t length, SortOrder order) {
    const std::uint32_t distance = 1U << static_cast<unsigned>(step - 1);
    for (std::uint32_t row = begin; row < end; ++row) {
        if ((row & distance) == 0) {
            tiles.compare(row, row | distance, alternating(order, row / length));
        }
    }
}

void require_length(int length, const char* call, CallSite site) {
    if (length < 1 || length > static_cast<int>(kSorted) ||
        (static_cast<unsigned>(length) & static_cast<unsigned>(length - 1)) != 0) {
        fault(FaultCategory::Unsupported, site, "{} with k = {}; allowed: 4, 8, 16, 32 or 64", call,
              length);
    }
}

}  // namespace

void sort_columns(std::uint32_t idst, SortOrder order, int first_phase, int last_phase,
                  SortSteps steps, CallSite site) {
    const SortedTiles tiles(idst, "topk_local_sort", site);
    for (int phase = first_phase; phase <= last_phase; ++phase) {
        const bool has_steps = first_phase == last_phase && steps.first != 0;
        const int first = has_steps ? steps.first : phase + 1;
        const int last = has_steps ? std::max(steps.last, 1) : 1;
        // A phase beyond 64 values spans several calls; inside of one all pairs have one direction.
        const std::uint32_t length = 2U << static_cast<unsigned>(std::min(phase, 5));
        for (int step = std::min(first, 6); step >= last; --step) {
            network_step(tiles, 0, kSorted, step, length, order);
        }
    }
}

void merge_columns(std::uint32_t idst, SortOrder order, int iteration, int length, CallSite site) {
    require_length(length, "topk_merge", site);
    const SortedTiles tiles(idst, "topk_merge", site);
    const auto held = static_cast<std::uint32_t>(std::min(length, 32));
    const std::uint32_t distance =
        std::min(held << static_cast<unsigned>(iteration), std::uint32_t{kTileRows});
    for (std::uint32_t begin = 0; begin < kSorted; begin += 2 * distance) {
        for (std::uint32_t i = 0; i < held; ++i) {
            tiles.compare(begin + i, begin + i + distance, order);
        }
    }
}

namespace {

/// Sorts a bitonic run of `length` rows from `begin`: compares at halved distances down to 1.
void merge_bitonic(const SortedTiles& tiles, std::uint32_t begin, std::uint32_t length,
                   SortOrder order) {
    for (std::uint32_t distance = length / 2; distance != 0; distance /= 2) {
        for (std::uint32_t i = 0; i < length; ++i) {
            if ((i & distance) == 0) {
                tiles.compare(begin + i, begin + (i | distance), order);
            }
        }
    }
}

}  // namespace

void rebuild_columns(std::uint32_t idst, SortOrder order, int iteration, int length,
                     bool skips_second, CallSite site) {
    require_length(length, "topk_rebuild", site);
    const SortedTiles tiles(idst, "topk_rebuild", site);
    const auto held = static_cast<std::uint32_t>(length);
    const std::uint32_t end = skips_second && held <= kTileRows ? kTileRows : kSorted;
    const std::uint32_t stride =
        held > kTileRows
            ? kSorted
            : std::min(held << static_cast<unsigned>(iteration + 1), std::uint32_t{kTileRows});
    std::uint32_t sequence = 0;
    for (std::uint32_t begin = 0; begin < end; begin += stride) {
        merge_bitonic(tiles, begin, held, alternating(order, sequence++));
    }
}

namespace {

VectorRegisters& registers_of(const char* call, CallSite site) {
    return current_units(call, site).vector_registers;
}

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
    VectorRegisters& registers = registers_of("welford_clear", site);
    registers.mean.fill(0);
    registers.squares.fill(0);
}

void welford_update(std::uint32_t idst, std::uint32_t start, TileRows rows, ReciprocalTable table,
                    CallSite site) {
    constexpr const char* kCall = "welford_update";
    ComputeState& units = current_units(kCall, site);
    const float* tile = units.dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
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

void welford_move(WelfordMove move, std::uint32_t idst, std::uint32_t group, CallSite site) {
    const char* call = move == WelfordMove::Save ? "welford_save_state" : "welford_restore_state";
    require_group(group, site);
    ComputeState& units = current_units(call, site);
    float* means = dst_tile_as_is(units.dst, idst, call, site);
    float* squares = dst_tile_as_is(units.dst, idst + 1, call, site);
    record_sfpu(current_thread(), call, site);
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
    require_group(group, site);
    ComputeState& units = current_units(call, site);
    float* means = dst_tile_as_is(units.dst, idst, call, site);
    float* variances = dst_tile_as_is(units.dst, idst + 1, call, site);
    record_sfpu(current_thread(), call, site);
    for (std::uint32_t lane = 0; lane < kTileColumns; ++lane) {
        const std::uint32_t place =
            layout == WelfordLayout::Row ? tile_offset(0, lane) : raw_place(lane, group);
        means[place] = units.vector_registers.mean[lane];
        variances[place] = units.vector_registers.squares[lane] * reciprocal(table, scale);
    }
    round_for_dst(units.dst, means);
    round_for_dst(units.dst, variances);
}

void cumulative_sum(std::uint32_t idst, bool is_first, CallSite site) {
    constexpr const char* kCall = "cumsum_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
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

/// A reduction of numbers, which begins with its first.
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
    Dst& dst = current_units(call, site).dst;
    const DstContent content =
        tile::is_integer_format(format) ? DstContent::Integer : DstContent::Float;
    const auto tile_at = [&](std::uint32_t row, std::uint32_t column) {
        return dst.update(idst + row * columns + column, call, site, content);
    };
    record_sfpu(current_thread(), call, site);
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
    Dst& dst = current_units(kCall, site).dst;
    float* values = dst_tile_as_is(dst, idst, kCall, site);
    float* indices = dst_tile_as_is(dst, idst_index, kCall, site);
    record_sfpu(current_thread(), kCall, site);
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
    Dst& dst = current_units(call, site).dst;
    float* tile = dst.update(idst, call, site);
    const float* vector = dst.update(idst_vector, call, site);
    record_sfpu(current_thread(), call, site);
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
    round_for_dst(dst, tile);
}

namespace {

/// Marsaglia's xorshift with 32 bits; the chip's registers shift in another way.
std::uint32_t next_random(VectorRegisters& registers) {
    std::uint32_t& state = registers.random;
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    return state;
}

}  // namespace

void seed_random(std::uint32_t seed, CallSite site) {
    // 0 is the one state that xorshift never leaves.
    registers_of("rand_tile_init", site).random = seed == 0 ? 0x9E3779B9U : seed;
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

void random_tile(std::uint32_t idst, float from, float scale, CallSite site) {
    constexpr const char* kCall = "rand_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.overwrite(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        constexpr float kStep = 0x1p-24F;
        const auto number = static_cast<float>(next_random(units.vector_registers) >> 8U);
        tile[i] = from + scale * (number * kStep);
    }
    round_for_dst(units.dst, tile);
}

void dropout(std::uint32_t idst, std::uint32_t probability, float scale, CallSite site) {
    constexpr const char* kCall = "dropout_tile";
    ComputeState& units = current_units(kCall, site);
    float* tile = units.dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const bool drops = next_random(units.vector_registers) >> 1U < probability;
        tile[i] = drops ? 0.0F : tile[i] * scale;
    }
    round_for_dst(units.dst, tile);
}

void set_zero_point(float value, CallSite site) {
    registers_of("quant_tile_init", site).zero_point = value;
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

void quantise(Quantisation step, std::uint32_t idst, std::uint32_t idst_scale, std::uint32_t odst,
              CallSite site) {
    const bool is_dequantise = step == Quantisation::Dequantise;
    const char* call = is_dequantise                      ? "dequant_tile"
                       : step == Quantisation::Requantise ? "requant_tile"
                                                          : "quant_tile";
    ComputeState& units = current_units(call, site);
    const bool takes_floats = step == Quantisation::Quantise;
    const float* in =
        units.dst.update(idst, call, site, takes_floats ? DstContent::Float : DstContent::Integer);
    const float* scale = units.dst.update(idst_scale, call, site);
    std::array<float, kTileElements> results{};
    const double zero = static_cast<double>(units.vector_registers.zero_point);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const double value =
            number_in(takes_floats ? DataFormat::Float32 : DataFormat::Int32, in[i]);
        const double factor = static_cast<double>(scale[i]);
        results[i] =
            is_dequantise
                ? static_cast<float>((value - zero) * factor)
                : slot_of(DataFormat::Int32,
                          std::clamp(std::nearbyint(value * factor + zero), -128.0, 127.0));
    }
    record_sfpu(current_thread(), call, site);
    float* out = units.dst.overwrite(odst, call, site,
                                     is_dequantise ? DstContent::Float : DstContent::Integer);
    std::ranges::copy(results, out);
    if (is_dequantise) {
        round_for_dst(units.dst, out);
    }
}

void add_integers(std::uint32_t idst, std::uint32_t idst_other, CallSite site) {
    constexpr const char* kCall = "sfpu_add_int";
    Dst& dst = current_units(kCall, site).dst;
    float* tile = dst.update(idst, kCall, site, DstContent::Integer);
    const float* other = dst.update(idst_other, kCall, site, DstContent::Integer);
    record_sfpu(current_thread(), kCall, site);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(tile[i]) +
                                       std::bit_cast<std::uint32_t>(other[i]));
    }
}

void mask_with_infinity(std::uint32_t idst, CallSite site) {
    constexpr const char* kCall = "mask_posinf_tile";
    Dst& dst = current_units(kCall, site).dst;
    float* tile = dst.update(idst, kCall, site);
    const float* mask = dst_tile_as_is(dst, idst + 1, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = mask[i] == 0.0F ? std::numeric_limits<float>::infinity() : tile[i];
    }
}

void round_to_decimals(std::uint32_t idst, std::int32_t decimals, CallSite site) {
    constexpr const char* kCall = "round_tile";
    Dst& dst = current_units(kCall, site).dst;
    float* tile = dst.update(idst, kCall, site);
    record_sfpu(current_thread(), kCall, site);
    const double scale = std::pow(10.0, decimals);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        tile[i] = static_cast<float>(std::nearbyint(static_cast<double>(tile[i]) * scale) / scale);
    }
    round_for_dst(dst, tile);
}

void scalar_on_left(ScalarOnLeft operation, std::uint32_t idst, float scalar, CallSite site) {
    const char* call = operation == ScalarOnLeft::Power ? "rpow_tile" : "rdiv_tile";
    Dst& dst = current_units(call, site).dst;
    float* tile = dst.update(idst, call, site);
    record_sfpu(current_thread(), call, site);
    const auto left = static_cast<double>(scalar);
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const auto right = static_cast<double>(tile[i]);
        const double quotient = left / right;
        tile[i] =
            static_cast<float>(operation == ScalarOnLeft::Power             ? std::pow(left, right)
                               : operation == ScalarOnLeft::DivideTruncated ? std::trunc(quotient)
                               : operation == ScalarOnLeft::DivideFloored   ? std::floor(quotient)
                                                                            : quotient);
    }
    round_for_dst(dst, tile);
}

}  // namespace tessera::kernel
