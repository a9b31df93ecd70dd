// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "ops/matmul/blocking.hpp"
#include "ops/matmul/circular_buffers.hpp"
#include "ops/matmul/core_set.hpp"

namespace tessera::ops::matmul {
namespace {

constexpr bool is_interleaved(TensorPlacement placement) {
    return placement == TensorPlacement::DramInterleaved ||
           placement == TensorPlacement::L1Interleaved;
}

std::string_view name_of_placement(TensorPlacement placement) {
    switch (placement) {
        case TensorPlacement::DramInterleaved:
            return "interleaved in DRAM";
        case TensorPlacement::L1Interleaved:
            return "interleaved in L1";
        case TensorPlacement::L1BlockSharded:
            return "block-sharded in L1";
        case TensorPlacement::L1HeightSharded:
            return "height-sharded in L1";
    }
    return "?";
}

/// Returns the only sharded placement that in0 and out may have; DramInterleaved: none.
TensorPlacement sharded_placement(const MatmulSpec& schedule) {
    // Cores of a row share a block-sharded in0 by multicast. Under Multicast1D with a shared in1
    // each core owns whole rows, which is a height shard.
    if (schedule.schedule == MatmulSchedule::Multicast2D) {
        return TensorPlacement::L1BlockSharded;
    }
    const bool spreads_rows = schedule.schedule == MatmulSchedule::Multicast1D &&
                              schedule.multicast_operand == MulticastOperand::In1;
    return spreads_rows ? TensorPlacement::L1HeightSharded : TensorPlacement::DramInterleaved;
}

void check_placement(std::string_view key, const MatmulOperandSpec& operand,
                     TensorPlacement sharded) {
    require_key(is_interleaved(operand.placement) || operand.placement == sharded, key,
                "is {}; allowed under this schedule: interleaved{}{}",
                name_of_placement(operand.placement), is_interleaved(sharded) ? "" : " or ",
                is_interleaved(sharded) ? "" : name_of_placement(sharded));
}

void check_out_format(DataFormat format) {
    require_key(format == DataFormat::Float16_b || format == DataFormat::Float32 ||
                    format == DataFormat::Bfp8_b || format == DataFormat::Bfp4_b,
                "out.format", "is {}; allowed: bfloat16, bfp8_b, bfp4_b or float32",
                name_of(format));
}

void check_lengths(const MatmulShape& shape, const MatmulSpec& schedule) {
    require(shape.m > 0 && shape.k > 0 && shape.n > 0,
            "matmul: M {}, K {}, N {}; allowed: at least 1 each", shape.m, shape.k, shape.n);
    require_key(schedule.in0_block_w > 0, "in0_block_w", "is 0; allowed: at least 1");
    require_key(schedule.cb_depth > 0, "cb_depth", "is 0; allowed: at least 1");
}

/// A shard receives subblocks in the order of packing, so rows must be complete.
void check_sharded_out(const Blocking& blocking, const MatmulSpec& schedule) {
    if (is_interleaved(schedule.out.placement)) {
        return;
    }
    require_key(blocking.m.out_block == 1 || blocking.n.out_block == blocking.n.per_core,
                "out_block_w",
                "is {}; allowed with out in shards: per_core_n, which is {}, or any if "
                "out_block_h, which is {}, is 1",
                blocking.n.out_block, blocking.n.per_core, blocking.m.out_block);
    require_key(blocking.subblock.height == 1 || blocking.subblock.width == blocking.n.out_block,
                "out_subblock",
                "is {}x{}; allowed with out in shards: as wide as out_block_w, which is {}, or "
                "one row high",
                blocking.subblock.height, blocking.subblock.width, blocking.n.out_block);
}

TensorPlan layout_of(const Shape& shape, const MatmulOperandSpec& operand) {
    TensorPlan plan{.spec = {shape, operand.format, Layout::TILE},
                    .memory = operand.placement == TensorPlacement::DramInterleaved
                                  ? BufferType::DRAM
                                  : BufferType::L1};
    if (!is_interleaved(operand.placement)) {
        plan.layout = operand.placement == TensorPlacement::L1BlockSharded
                          ? TensorMemoryLayout::BLOCK_SHARDED
                          : TensorMemoryLayout::HEIGHT_SHARDED;
    }
    return plan;
}

/// Names only the cores that hold part of K. Shards are distributed row by row, so a core
/// without K tiles would shift those of the next row.
ShardSpec in0_shard(const ArchSpec& arch, const Blocking& blocking, const MatmulSpec& schedule) {
    const bool is_block = schedule.in0.placement == TensorPlacement::L1BlockSharded;
    const std::uint32_t width = is_block ? in0_shard_width(blocking) : blocking.k_tiles;
    const std::uint32_t across = (blocking.k_tiles + width - 1) / width;
    return {.cores = is_block ? CoreRangeSet(CoreRange({0, 0}, {across - 1, blocking.m.cores - 1}))
                              : cores_of(arch, blocking, schedule),
            .shard_shape = {blocking.m.per_core, width},
            .tensor_shape = {blocking.m.tiles, blocking.k_tiles},
            .noc_coords = {}};
}

ShardSpec out_shard(const ArchSpec& arch, const Blocking& blocking, const MatmulSpec& schedule) {
    return {.cores = cores_of(arch, blocking, schedule),
            .shard_shape = {blocking.m.per_core, blocking.n.per_core},
            .tensor_shape = {blocking.m.tiles, blocking.n.tiles},
            .noc_coords = {}};
}

}  // namespace

OperandLayouts operand_layouts(const ArchSpec& arch, const MatmulShape& shape,
                               const MatmulSpec& schedule) {
    const TensorPlacement sharded = sharded_placement(schedule);
    check_placement("in0.placement", schedule.in0, sharded);
    check_placement("in1.placement", schedule.in1, TensorPlacement::DramInterleaved);
    check_placement("out.placement", schedule.out, sharded);
    check_out_format(schedule.out.format);
    check_lengths(shape, schedule);
    OperandLayouts layouts{layout_of({shape.m, shape.k}, schedule.in0),
                           layout_of({shape.k, shape.n}, schedule.in1),
                           layout_of({shape.m, shape.n}, schedule.out)};
    // Output tiles are distributed one by one, so there are neither blocks nor shards to place.
    if (schedule.schedule == MatmulSchedule::MultiCore) {
        check_l1(arch, tile_buffers(schedule), layouts);
        return layouts;
    }
    const Blocking blocking = block_up(arch, shape, schedule);
    check_sharded_out(blocking, schedule);
    if (!is_interleaved(schedule.in0.placement)) {
        layouts.in0.shard = in0_shard(arch, blocking, schedule);
    }
    if (!is_interleaved(schedule.out.placement)) {
        layouts.out.shard = out_shard(arch, blocking, schedule);
    }
    check_l1(arch, block_buffers(blocking, schedule), layouts);
    return layouts;
}

}  // namespace tessera::ops::matmul
