// SPDX-License-Identifier: Apache-2.0
// Sorting networks over columns of two tiles: topk_local_sort, topk_merge and topk_rebuild.
#include <algorithm>
#include <array>
#include <utility>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "emu/core/fault.hpp"
#include "tessera/kernel/compute/sfpu_blocks.hpp"

namespace tessera::kernel {
namespace {

/// Elements of a column of two tiles.
constexpr std::uint32_t kSorted = 2 * kTileRows;

/// Two tiles of values at idst and two of indices behind them, by row over both tiles.
class SortedTiles {
public:
    SortedTiles(std::uint32_t idst, const char* call, CallSite site) {
        ComputeState& units = current_units(call, site);
        is_off_ = units.maths == Maths::Off;
        for (std::uint32_t i = 0; i < 4; ++i) {
            tiles_[i] = dst_tile_as_is(units.dst, idst + i, call, site);
        }
        record_sfpu(current_thread(), call, site);
    }
    /// Puts the pair into order; `first` is above `second`. Equal values stay.
    void compare(std::uint32_t first, std::uint32_t second, SortOrder order) const {
        if (is_off_) {
            return;  // values are undefined; the indices stay valid in any order
        }
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
    bool is_off_ = false;
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
        fault(FaultCategory::Unsupported, site,
              "{} with k = {}; allowed: a power of two from 1 to 64", call, length);
    }
}

/// A negative number would be a shift of 2^32 − n.
void require_counted(int number, const char* name, const char* call, CallSite site) {
    if (number < 0) {
        fault(FaultCategory::UndefinedBehavior, site, "{}: {} is {}; allowed: at least 0", call,
              name, number);
    }
}

}  // namespace

void sort_columns(std::uint32_t idst, SortOrder order, int first_phase, int last_phase,
                  SortSteps steps, CallSite site) {
    require_counted(first_phase, "the first phase", "topk_local_sort", site);
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
    require_counted(iteration, "the iteration", "topk_merge", site);
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
    require_counted(iteration, "the iteration", "topk_rebuild", site);
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

}  // namespace tessera::kernel
