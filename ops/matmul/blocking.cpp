// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/blocking.hpp"

#include <algorithm>
#include <string_view>

#include "emu/base/round_up.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::matmul {
namespace {

/// Request of the schedule for one extent, and the names of its keys in messages.
struct SpreadRequest {
    std::string_view extent;    // "M"
    std::string_view per_core;  // "per_core_m"
    std::string_view out_block;
    std::string_view subblock;
    std::uint32_t tiles, per_core_tiles, out_block_tiles, subblock_tiles, max_cores;
};

Spread spread(const SpreadRequest& request) {
    Spread result{.tiles = request.tiles, .per_core = request.per_core_tiles};
    // Rounds up to whole out blocks, or to subblocks if no out block is given: a core computes
    // nothing smaller.
    if (result.per_core == 0) {
        const std::uint32_t granule =
            request.out_block_tiles == 0 ? request.subblock_tiles : request.out_block_tiles;
        result.per_core = round_up(div_up(request.tiles, request.max_cores), granule);
    }
    result.out_block = request.out_block_tiles == 0 ? result.per_core : request.out_block_tiles;
    require_key(result.per_core % result.out_block == 0, request.out_block,
                "is {}; allowed: a divisor of {}, which is {}", result.out_block, request.per_core,
                result.per_core);
    require_key(result.out_block % request.subblock_tiles == 0, "out_subblock",
                "has a {} of {} tiles; allowed: a divisor of {}, which is {}", request.subblock,
                request.subblock_tiles, request.out_block, result.out_block);
    // A per_core that covers the extent early leaves cores of the grid idle. That is allowed, since
    // a smaller set of cores is a schedule of its own.
    result.cores = div_up(request.tiles, result.per_core);
    require_key(result.cores <= request.max_cores, "grid",
                "has {} cores for {}; its {} tiles need {} at {} {}", request.max_cores,
                request.extent, request.tiles, result.cores, request.per_core, result.per_core);
    return result;
}

/// Most cores that M and N are spread over.
struct CoreLimits {
    std::uint32_t m = 1;
    std::uint32_t n = 1;
};

CoreLimits core_limits(const ArchSpec& arch, const MatmulSpec& schedule) {
    // in0 travels along rows of cores and in1 down columns, so rows of cores split M and columns
    // split N.
    const CoreCoord grid = schedule_grid("matmul", arch, schedule.grid);
    switch (schedule.schedule) {
        case MatmulSchedule::SingleCore:
            return {1, 1};
        case MatmulSchedule::Multicast1D:
            return schedule.multicast_operand == MulticastOperand::In1
                       ? CoreLimits{grid.x * grid.y, 1}
                       : CoreLimits{1, grid.x * grid.y};
        case MatmulSchedule::MultiCore:
        case MatmulSchedule::Multicast2D:
            return {grid.y, grid.x};
    }
    return {};
}

void check_subblock(const ArchSpec& arch, const MatmulSpec& schedule) {
    const Subblock subblock = schedule.out_subblock;
    // Math fills one half of DST while the packer empties the other, so a subblock may take half of
    // it.
    const std::uint32_t half =
        (schedule.fp32_dest_acc ? arch.dst.tiles_32bit : arch.dst.tiles_16bit) / 2;
    const std::uint64_t tiles = std::uint64_t{subblock.height} * subblock.width;
    require_key(tiles >= 1 && tiles <= half, "out_subblock",
                "has {} tiles; half of DST holds 1 to {} with fp32_dest_acc {}", tiles, half,
                schedule.fp32_dest_acc);
}

}  // namespace

std::uint32_t Spread::valid(std::uint32_t index) const {
    // The blocks of a last core may begin beyond the tensor; the inner minimum keeps the difference
    // from wrapping below 0.
    return std::min(per_core, tiles - std::min(tiles, index * per_core));
}

Blocking block_up(const ArchSpec& arch, const MatmulShape& shape, const MatmulSpec& schedule) {
    check_subblock(arch, schedule);
    const std::uint32_t k_tiles = div_up(shape.k, kTileRows);
    // M and N may extend beyond the tensor, K may not. Tiles beyond M or N give output that is not
    // written; tiles beyond K would be added to every sum.
    require_key(k_tiles % schedule.in0_block_w == 0, "in0_block_w",
                "is {}; allowed: a divisor of K, which is {} tiles", schedule.in0_block_w, k_tiles);
    const CoreLimits limits = core_limits(arch, schedule);
    const Subblock subblock = schedule.out_subblock;
    return {.m = spread({"M", "per_core_m", "out_block_h", "height", div_up(shape.m, kTileRows),
                         schedule.per_core_m, schedule.out_block_h, subblock.height, limits.m}),
            .n = spread({"N", "per_core_n", "out_block_w", "width", div_up(shape.n, kTileColumns),
                         schedule.per_core_n, schedule.out_block_w, subblock.width, limits.n}),
            .k_tiles = k_tiles,
            .in0_block_w = schedule.in0_block_w,
            .subblock = subblock};
}

bool accumulates_in_l1(const Blocking& blocking, const MatmulSpec& schedule) {
    // The first block overwrites and the last one is reloaded into DST. With two blocks the packer
    // would have nothing to accumulate.
    return schedule.packer_l1_acc && blocking.num_k_blocks() > 2;
}

DataFormat partials_format(const Blocking& blocking, const MatmulSpec& schedule) {
    if (schedule.fp32_dest_acc) {
        return DataFormat::Float32;
    }
    // Sums that the packer adds are at least bfloat16: a block format would round each of them to a
    // shared exponent.
    return accumulates_in_l1(blocking, schedule) ? DataFormat::Float16_b : schedule.out.format;
}

std::uint32_t in0_shard_width(const Blocking& blocking) {
    // Whole blocks: a core multicasts a block from its own shard, so no block may span two shards.
    return round_up(div_up(blocking.k_tiles, blocking.n.cores), blocking.in0_block_w);
}

}  // namespace tessera::ops::matmul
