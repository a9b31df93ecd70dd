// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/circular_buffers.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "emu/base/round_up.hpp"

namespace tessera::ops::matmul {
namespace {

TileBuffer in0_buffer(const Blocking& blocking, const MatmulSpec& schedule, std::uint32_t depth) {
    TileBuffer buffer{
        "in0", {Cb::In0}, schedule.in0.format, blocking.m.out_block * blocking.in0_block_w * depth};
    // The buffer is the shard itself: the tiles are multiplied without a copy.
    if (takes_in0_in_place(blocking, schedule)) {
        buffer.num_tiles = blocking.m.per_core * blocking.k_tiles;
        buffer.shard_of = ShardOf::In0;
    }
    return buffer;
}

void add_in0_shard(std::vector<TileBuffer>& buffers, const Blocking& blocking,
                   const MatmulSpec& schedule) {
    const bool is_block_sharded = schedule.in0.placement == TensorPlacement::L1BlockSharded;
    const bool is_height_sharded = schedule.in0.placement == TensorPlacement::L1HeightSharded;
    // Without a shard, or with the buffer placed over it, no second buffer is needed.
    if (!is_block_sharded && (!is_height_sharded || takes_in0_in_place(blocking, schedule))) {
        return;
    }
    const std::uint32_t width = is_block_sharded ? in0_shard_width(blocking) : blocking.k_tiles;
    buffers.push_back({"in0 shard",
                       {Cb::In0Shard},
                       schedule.in0.format,
                       blocking.m.per_core * width,
                       ShardOf::In0});
}

void add_out(std::vector<TileBuffer>& buffers, const Blocking& blocking,
             const MatmulSpec& schedule) {
    const bool is_sharded = schedule.out.placement == TensorPlacement::L1BlockSharded ||
                            schedule.out.placement == TensorPlacement::L1HeightSharded;
    TileBuffer out{"out",
                   {Cb::Out},
                   schedule.out.format,
                   is_sharded ? blocking.per_core_tiles() : blocking.out_block_tiles(),
                   is_sharded ? ShardOf::Out : ShardOf::None};
    const DataFormat partials = partials_format(blocking, schedule);
    // A common memory saves an out block of L1. In the last K block, a subblock is reloaded before
    // its result is packed over it, in the same order of subblocks.
    if (partials == out.format && out.num_tiles == blocking.out_block_tiles()) {
        out.names.push_back(Cb::Partials);
    } else {
        buffers.push_back({"partial sums", {Cb::Partials}, partials, blocking.out_block_tiles()});
    }
    buffers.push_back(std::move(out));
}

/// Returns the bytes of each core's L1 that a tensor takes.
std::uint64_t l1_bytes(const ArchSpec& arch, const TensorPlan& operand) {
    if (operand.memory != BufferType::L1) {
        return 0;
    }
    const std::uint64_t page = round_up(operand.spec.page_size(), arch.l1.alignment.value);
    if (operand.layout != TensorMemoryLayout::INTERLEAVED) {
        return page * operand.shard->shard_shape[0] * operand.shard->shard_shape[1];
    }
    // Pages of a tensor interleaved in L1 are distributed over all compute cores, also over those
    // that take no part in the product.
    const std::uint64_t banks =
        std::uint64_t{arch.workers.compute.columns} * arch.workers.compute.rows;
    return page * (div_up(operand.spec.num_pages(), banks));
}

/// Adds up bytes and lists their parts for the message.
struct Demand {
    std::uint64_t total = 0;
    std::string parts;

    void add(std::string_view name, std::uint64_t bytes) {
        if (bytes > 0) {
            total += bytes;
            parts += fmt::format("{}{} {} B", parts.empty() ? "" : ", ", name, bytes);
        }
    }
};

}  // namespace

bool takes_in0_in_place(const Blocking& blocking, const MatmulSpec& schedule) {
    // A K block's rows are not contiguous in the shard, so several blocks need a copy. A second
    // column of out blocks would need the tiles after they have been popped.
    return schedule.in0.placement == TensorPlacement::L1HeightSharded &&
           blocking.num_k_blocks() == 1 && blocking.n.num_blocks() == 1;
}

std::vector<TileBuffer> block_buffers(const Blocking& blocking, const MatmulSpec& schedule) {
    // With a single K block there is nothing to read ahead.
    const std::uint32_t depth = blocking.num_k_blocks() > 1 ? schedule.cb_depth : 1;
    std::vector<TileBuffer> buffers{in0_buffer(blocking, schedule, depth),
                                    {"in1",
                                     {Cb::In1},
                                     schedule.in1.format,
                                     blocking.in0_block_w * blocking.n.out_block * depth}};
    add_in0_shard(buffers, blocking, schedule);
    add_out(buffers, blocking, schedule);
    return buffers;
}

std::vector<TileBuffer> tile_buffers(const MatmulSpec& schedule) {
    return {{"in0", {Cb::In0}, schedule.in0.format, schedule.cb_depth},
            {"in1", {Cb::In1}, schedule.in1.format, schedule.cb_depth},
            {"out", {Cb::Out}, schedule.out.format, schedule.cb_depth}};
}

void check_l1(const ArchSpec& arch, const std::vector<TileBuffer>& buffers,
              const OperandLayouts& layouts) {
    Demand demand;
    for (const TileBuffer& buffer : buffers) {
        // A buffer over a shard takes no memory of its own; the tensor below counts it.
        if (buffer.shard_of == ShardOf::None) {
            demand.add(buffer.text, round_up(buffer.bytes(), arch.dram.alignment.value));
        }
    }
    demand.add("tensor in0", l1_bytes(arch, layouts.in0));
    demand.add("tensor in1", l1_bytes(arch, layouts.in1));
    demand.add("tensor out", l1_bytes(arch, layouts.out));
    const std::uint64_t room =
        arch.l1.size.value - round_up(arch.l1.reserved.value, arch.dram.alignment.value);
    require_key(demand.total <= room, "schedule",
                "takes {} B of a core's L1; {} has {} B for buffers: {}", demand.total, arch.name,
                room, demand.parts);
}

void add_buffers(Program& program, const CoreRangeSet& cores,
                 const std::vector<TileBuffer>& buffers, const Inputs& inputs,
                 const Outputs& outputs) {
    for (const TileBuffer& buffer : buffers) {
        std::map<std::uint8_t, DataFormat> formats;
        // Several names in one configuration share the memory and keep separate counters.
        for (const Cb cb : buffer.names) {
            formats[static_cast<std::uint8_t>(cb)] = buffer.format;
        }
        CircularBufferConfig config(static_cast<std::uint32_t>(buffer.bytes()), formats);
        for (const auto& [index, format] : formats) {
            config.set_page_size(index, tile_bytes(format));
        }
        if (buffer.shard_of != ShardOf::None) {
            const bool is_in0 = buffer.shard_of == ShardOf::In0;
            config.set_globally_allocated_address((is_in0 ? inputs.in0 : outputs.out).buffer);
        }
        CreateCircularBuffer(program, cores, std::move(config));
    }
}

}  // namespace tessera::ops::matmul
