// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/accuracy/parameters.hpp"

namespace tessera::score {

std::uint32_t free_l1(const ArchSpec& arch) {
    constexpr std::uint32_t kAlignment = 64;  // alignment of DRAM reads on any device
    return static_cast<std::uint32_t>((arch.l1.reserved.value + kAlignment - 1) / kAlignment *
                                      kAlignment);
}

CoreCoord noc_coordinate(const ArchSpec& arch, CoreCoord logical) {
    const CoreCoord origin = arch.workers.virtual_origin;
    return {origin.x + logical.x, origin.y + logical.y};
}

std::uint32_t packed_coordinate(const ArchSpec& arch, CoreCoord logical) {
    constexpr std::uint32_t kShift = 16;
    const CoreCoord noc = noc_coordinate(arch, logical);
    return noc.x << kShift | noc.y;
}

void check_core(const ArchSpec& arch, CoreCoord logical) {
    const GridSize grid = arch.workers.compute;
    expressible(logical.x < grid.columns && logical.y < grid.rows,
                "core {} is outside of the {}x{} compute grid of {}", to_string(logical),
                grid.columns, grid.rows, arch.name);
}

std::vector<CoreCoord> first_cores(const ArchSpec& arch, std::uint32_t count) {
    const GridSize grid = arch.workers.compute;
    expressible(count >= 1 && count <= grid.columns * grid.rows,
                "{} cores: the compute grid of {} has 1 to {}", count, arch.name,
                grid.columns * grid.rows);
    std::vector<CoreCoord> cores;
    for (std::uint32_t i = 0; i < count; ++i) {
        cores.push_back({i % grid.columns, i / grid.columns});
    }
    return cores;
}

CoreCoord logical_core(const ArchSpec& arch, CoreCoord physical) {
    const auto& columns = arch.workers.noc_columns;
    const auto& rows = arch.workers.noc_rows;
    const auto column = std::ranges::find(columns, physical.x);
    const auto row = std::ranges::find(rows, physical.y);
    expressible(column != columns.end() && row != rows.end(),
                "no worker core of {} is at the physical coordinate {}", arch.name,
                to_string(physical));
    return {static_cast<std::uint32_t>(column - columns.begin()),
            static_cast<std::uint32_t>(row - rows.begin())};
}

void add_tiles(Program& program, std::uint8_t index, std::uint32_t tiles, DataFormat format) {
    const std::uint32_t bytes = tile_bytes(format);
    CreateCircularBuffer(
        program, kOnlyCore,
        CircularBufferConfig(tiles * bytes, {{index, format}}).set_page_size(index, bytes));
}

}  // namespace tessera::score
