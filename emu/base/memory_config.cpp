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

/// Returns the pages along one side of a stated shard of `elements`.
std::uint32_t stated_side(std::uint32_t elements, std::uint32_t of_page, std::uint32_t pages,
                          const TensorSpec& spec, std::string_view side) {
    require(elements > 0 && elements % of_page == 0,
            "sharding {}: shards of {} {} are not whole pages; allowed: a multiple of {}",
            to_string(spec.shape), elements, side, of_page);
    require(pages % (elements / of_page) == 0,
            "sharding {}: shards of {} {} do not divide the {} of the pages", to_string(spec.shape),
            elements, side, pages * of_page);
    return elements / of_page;
}

/// Returns the pages of a shard: rows, columns.
std::vector<std::uint32_t> stated_shape(const TensorSpec& spec, const MemoryConfig& config,
                                        const PageGrid& pages) {
    require(config.layout == TensorMemoryLayout::BLOCK_SHARDED,
            "sharding {}: the shape of a shard is stated; allowed with it: layout block",
            to_string(spec.shape));
    const bool is_tiled = spec.layout == Layout::TILE;
    return {stated_side(config.shard.rows, is_tiled ? spec.tile.get_height() : 1, pages.rows, spec,
                        "rows"),
            stated_side(config.shard.columns,
                        is_tiled ? spec.tile.get_width() : spec.padded_shape().back(),
                        pages.columns, spec, "columns")};
}

std::vector<std::uint32_t> shape_for_cores(const TensorSpec& spec, const MemoryConfig& config,
                                           const PageGrid& pages) {
    const Cuts cuts = cuts_of(config);
    return {shard_side(pages.rows, cuts.rows, spec, "rows"),
            shard_side(pages.columns, cuts.columns, spec, "columns")};
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
    const PageGrid pages = page_grid(spec);
    return {.cores = CoreRange({0, 0}, {grid.columns - 1, grid.rows - 1}),
            .shard_shape = config.shard == ShardShape{} ? shape_for_cores(spec, config, pages)
                                                        : stated_shape(spec, config, pages),
            .tensor_shape = {pages.rows, pages.columns},
            .orientation = config.orientation,
            .noc_coords = {}};
}

}  // namespace tessera
