// SPDX-License-Identifier: Apache-2.0
#include "tessera/memory_config.hpp"

#include <string_view>

#include "emu/base/round_up.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

/// Numbers of parts of the rows and columns of pages.
struct Cuts {
    std::uint32_t rows = 1;
    std::uint32_t columns = 1;
};

Cuts cuts_of(const MemoryConfig& config) {
    const std::uint32_t cores = config.grid.columns * config.grid.rows;
    switch (config.layout) {
        case TensorMemoryLayout::HEIGHT_SHARDED:
            return {cores, 1};
        case TensorMemoryLayout::WIDTH_SHARDED:
            return {1, cores};
        case TensorMemoryLayout::BLOCK_SHARDED:
            return config.orientation == ShardOrientation::ROW_MAJOR
                       ? Cuts{config.grid.rows, config.grid.columns}
                       : Cuts{config.grid.columns, config.grid.rows};
        case TensorMemoryLayout::INTERLEAVED:
            break;
    }
    throw InternalError("make_shard_spec: an interleaved tensor has no shards");
}

std::uint32_t shard_side(std::uint32_t pages, std::uint32_t parts, const TensorSpec& spec,
                         std::string_view side) {
    const std::uint32_t each = div_up(pages, parts);
    require(each > 0 && div_up(pages, each) == parts,
            "sharding {}: {} {} of pages do not reach {} shards of {}", to_string(spec.shape),
            pages, side, parts, each);
    return each;
}

}  // namespace

PageGrid page_grid(const TensorSpec& spec) {
    const Shape shape = spec.padded_shape();
    const std::uint32_t width = shape.empty() ? 1 : shape.back();
    const std::uint32_t columns = spec.layout == Layout::TILE ? width / spec.tile.get_width() : 1;
    return {columns == 0 ? 0 : spec.num_pages() / columns, columns};
}

ShardSpec make_shard_spec(const TensorSpec& spec, const MemoryConfig& config) {
    const GridSize grid = config.grid;
    require(grid.columns > 0 && grid.rows > 0, "sharding {}: the grid is {}x{}, without cores",
            to_string(spec.shape), grid.columns, grid.rows);
    const Cuts cuts = cuts_of(config);
    const PageGrid pages = page_grid(spec);
    return {.cores = CoreRange({0, 0}, {grid.columns - 1, grid.rows - 1}),
            .shard_shape = {shard_side(pages.rows, cuts.rows, spec, "rows"),
                            shard_side(pages.columns, cuts.columns, spec, "columns")},
            .tensor_shape = {pages.rows, pages.columns},
            .orientation = config.orientation,
            .noc_coords = {}};
}

}  // namespace tessera
