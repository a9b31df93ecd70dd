// SPDX-License-Identifier: Apache-2.0
// Lists of cores and distribution of work, which Tessera's own functions compute.
#include "tt-metalium/work_split.hpp"

#include <algorithm>

#include "runtime/metalium/convert.hpp"
#include "tessera/errors.hpp"
#include "tessera/work_split.hpp"

namespace tt::tt_metal {

using tessera::require;
using tessera::metalium::to_metalium;
using tessera::metalium::to_tessera;

namespace {

tessera::RowWise row_wise_of(bool row_wise) {
    return row_wise ? tessera::RowWise::Yes : tessera::RowWise::No;
}

std::vector<CoreCoord> to_metalium_cores(const std::vector<tessera::CoreCoord>& cores) {
    std::vector<CoreCoord> result;
    result.reserve(cores.size());
    for (const tessera::CoreCoord& core : cores) {
        result.push_back(to_metalium(core));
    }
    return result;
}

WorkSplit to_metalium_split(const tessera::WorkSplit& split) {
    const auto& [num_cores, all, first, second, units_first, units_second] = split;
    return {num_cores,           to_metalium(all), to_metalium(first),
            to_metalium(second), units_first,      units_second};
}

}  // namespace

std::vector<CoreCoord> grid_to_cores(std::uint32_t num_cores, std::uint32_t grid_size_x,
                                     std::uint32_t grid_size_y, bool row_wise) {
    return to_metalium_cores(
        tessera::grid_to_cores(num_cores, grid_size_x, grid_size_y, row_wise_of(row_wise)));
}
std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise) {
    return corerange_to_cores(CoreRange(start, end), std::nullopt, row_wise);
}
std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& set,
                                          std::optional<std::uint32_t> max_cores, bool row_wise) {
    return to_metalium_cores(tessera::corerange_to_cores(
        to_tessera(set), max_cores.value_or(set.num_cores()), row_wise_of(row_wise)));
}
CoreRangeSet select_from_corerangeset(const CoreRangeSet& set, std::uint32_t start_index,
                                      std::uint32_t end_index, bool row_wise) {
    const std::vector<CoreCoord> cores = corerange_to_cores(set, std::nullopt, row_wise);
    require(start_index <= end_index && end_index < cores.size(),
            "select_from_corerangeset: cores {} to {} of {}", start_index, end_index, cores.size());
    return CoreRangeSet(
        std::span<const CoreCoord>(cores).subspan(start_index, end_index - start_index + 1));
}

WorkSplit split_work_to_cores(CoreCoord grid_size, std::uint32_t units, bool row_wise) {
    return to_metalium_split(
        tessera::split_work_to_cores(to_tessera(grid_size), units, row_wise_of(row_wise)));
}
WorkSplit split_work_to_cores(const CoreRangeSet& grid, std::uint32_t units, bool row_wise) {
    return to_metalium_split(
        tessera::split_work_to_cores(to_tessera(grid), units, row_wise_of(row_wise)));
}
CoreRangeSet num_cores_to_corerangeset(std::uint32_t num_cores, CoreCoord grid_size,
                                       bool row_wise) {
    return to_metalium(tessera::num_cores_to_corerangeset(num_cores, to_tessera(grid_size),
                                                          row_wise_of(row_wise)));
}
CoreRangeSet num_cores_to_corerangeset(CoreCoord start, std::uint32_t num_cores,
                                       CoreCoord grid_size, bool row_wise) {
    const std::vector<CoreCoord> grid =
        grid_to_cores({0, 0}, {grid_size.x - 1, grid_size.y - 1}, row_wise);
    const auto first = std::ranges::find(grid, start);
    require(first != grid.end() && static_cast<std::size_t>(grid.end() - first) >= num_cores,
            "num_cores_to_corerangeset: {} cores from {} on do not fit a grid of {} x {}",
            num_cores, start, grid_size.x, grid_size.y);
    return CoreRangeSet(std::span<const CoreCoord>(first, num_cores));
}

int find_max_divisor(std::uint32_t value, std::uint32_t most) {
    // Source   tt-metal tt_metal/common/work_split.cpp: the vendor's function skips 5 and 7.
    for (std::uint32_t divisor = most; divisor > 1; --divisor) {
        if (divisor != 5 && divisor != 7 && value % divisor == 0) {
            return static_cast<int>(divisor);
        }
    }
    return 1;
}
int find_max_block_size(std::uint32_t value, std::uint32_t most) {
    for (std::uint32_t divisor = most; divisor > 1; --divisor) {
        if (value % divisor == 0) {
            return static_cast<int>(divisor);
        }
    }
    return 1;
}

}  // namespace tt::tt_metal
