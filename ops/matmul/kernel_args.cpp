// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/kernel_args.hpp"

#include "ops/matmul/circular_buffers.hpp"
#include "ops/shared/kernels/block_handshake_args.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::matmul {
namespace {

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

// Kernels address cores by virtual coordinates, which have no gaps where rows are harvested.
CoreCoord virtual_coord(const ArchSpec& arch, CoreCoord core) {
    return {arch.workers.virtual_origin.x + core.x, arch.workers.virtual_origin.y + core.y};
}

/// Corners in the order in which the NoC runs.
struct Corners {
    CoreCoord start;
    CoreCoord end;
};

Corners corners(const ArchSpec& arch, const CoreRange& rectangle, NOC noc) {
    const CoreCoord start = virtual_coord(arch, rectangle.start_coord);
    const CoreCoord end = virtual_coord(arch, rectangle.end_coord);
    // NoC 1 runs towards lower coordinates, so its multicast starts at the far corner.
    return noc == NOC::NOC_1 ? Corners{end, start} : Corners{start, end};
}

/// Returns whether the kernel flushes after a multicast, as upstream does on Blackhole, whose NoC
/// is slow enough for a RISC to change data before it leaves. Elsewhere a block has left before its
/// pages are reused, if there are other pages to use first. The chip is checked by name because
/// upstream's kernel does so (#ifdef ARCH_BLACKHOLE): the prototype here is what would be compiled
/// there.
/// Source   tt-metal ttnn/cpp/ttnn/operations/matmul/device/kernels/dataflow/
///          reader_bmm_tile_layout_in0_sender_padding.cpp, after the multicast of a block.
std::uint32_t flushes(const BlockLaunch& launch) {
    const bool reuses_at_once =
        launch.schedule.cb_depth == 1 || launch.blocking.num_k_blocks() == 1;
    return launch.arch.architecture == "blackhole" || reuses_at_once ? 1 : 0;
}

Words sender_args(const BlockLaunch& launch, const Audience& audience, NOC noc,
                  Handshake handshake) {
    const auto [start, end] = corners(launch.arch, audience.rectangle, noc);
    return words_of(BlockSenderArgs{.start_x = start.x,
                                    .start_y = start.y,
                                    .end_x = end.x,
                                    .end_y = end.y,
                                    .num_receivers = audience.num_receivers,
                                    .num_replies = audience.num_replies,
                                    .replies_semaphore = handshake.replies,
                                    .flag_semaphore = handshake.flag,
                                    .flushes = flushes(launch)});
}

Words receiver_args(const ArchSpec& arch, const Audience& audience, Handshake handshake) {
    const CoreCoord sender = virtual_coord(arch, audience.sender);
    return words_of(BlockReceiverArgs{.sender_x = sender.x,
                                      .sender_y = sender.y,
                                      .replies_semaphore = handshake.replies,
                                      .flag_semaphore = handshake.flag});
}

Words block_sharded_args(const BlockLaunch& launch, const CoreRole& role) {
    const CoreRange& rectangle = role.in0_audience.rectangle;
    const auto [start, end] = corners(launch.arch, rectangle, in0_noc(role));
    const CoreCoord first = virtual_coord(launch.arch, rectangle.start_coord);
    return words_of(In0Row{.start_x = start.x,
                           .start_y = start.y,
                           .end_x = end.x,
                           .end_y = end.y,
                           .num_cores = launch.blocking.n.cores,
                           .position = role.column,
                           .first_x = first.x,
                           .y = first.y,
                           .replies_semaphore = launch.in0.replies,
                           .flag_semaphore = launch.in0.flag,
                           .valid_semaphore = launch.valid,
                           .flushes = flushes(launch)});
}

In0Tensors in0_tensors(const BlockLaunch& launch) {
    return {.in0 = &launch.inputs.in0.buffer};
}

In1Tensors in1_tensors(const BlockLaunch& launch) {
    return {.in1 = &launch.inputs.in1.buffer, .out = &launch.outputs.out.buffer};
}

OutTensors out_tensors(const BlockLaunch& launch) {
    return {.out = &launch.outputs.out.buffer};
}

Words out_args(const BlockLaunch& launch, const CoreRole& role) {
    const Blocking& blocking = launch.blocking;
    const std::uint32_t first_row = role.row * blocking.m.per_core;
    const std::uint32_t first_column = role.column * blocking.n.per_core;
    return words_of(OutRange{.num_rows = blocking.m.valid(role.row),
                             .num_columns = blocking.n.valid(role.column),
                             .first_tile = first_row * blocking.n.tiles + first_column});
}

std::uint32_t num_blocks(const Blocking& blocking) {
    // A receiver takes blocks in the order of their arrival, so it needs only their number.
    return blocking.m.num_blocks() * blocking.n.num_blocks() * blocking.num_k_blocks();
}

}  // namespace

NOC in0_noc(const CoreRole& role) {
    return role.has_swapped_nocs ? NOC::NOC_0 : NOC::NOC_1;
}

NOC in1_noc(const CoreRole& role) {
    return role.has_swapped_nocs ? NOC::NOC_1 : NOC::NOC_0;
}

DataMovementConfig in0_config(const BlockLaunch& launch, Feed feed, NOC noc) {
    const Blocking& blocking = launch.blocking;
    // RISC 1 serves in0 only. RISC 0 feeds in1 and writes output, so both operands are read at the
    // same time.
    DataMovementConfig config{.processor = DataMovementProcessor::RISCV_1, .noc = noc};
    const In0Args args{.k_tiles = blocking.k_tiles,
                       .block_w = blocking.in0_block_w,
                       .block_h = blocking.m.out_block,
                       .num_blocks_h = blocking.m.num_blocks(),
                       .num_blocks_w = blocking.n.num_blocks()};
    if (feed == Feed::Receives) {
        config.named_compile_args =
            named(In0ReceiverArgs{.block_tiles = blocking.m.out_block * blocking.in0_block_w,
                                  .num_blocks = num_blocks(blocking)});
    } else if (launch.schedule.in0.placement == TensorPlacement::L1BlockSharded) {
        config.named_compile_args = named(In0RowArgs{.block_h = blocking.m.out_block,
                                                     .block_w = blocking.in0_block_w,
                                                     .shard_w = in0_shard_width(blocking),
                                                     .num_k_blocks = blocking.num_k_blocks(),
                                                     .num_blocks_h = blocking.m.num_blocks(),
                                                     .num_blocks_w = blocking.n.num_blocks()});
    } else if (feed == Feed::Shards) {
        const bool is_in_place = takes_in0_in_place(blocking, launch.schedule);
        config.named_compile_args = named(args, In0ShardArgs{.is_in_place = is_in_place ? 1U : 0U});
    } else {
        config.named_compile_args = named(args);
        config.compile_args = accessors_of(in0_tensors(launch));
    }
    return config;
}

DataMovementConfig in1_config(const BlockLaunch& launch, Feed feed, NOC noc) {
    const Blocking& blocking = launch.blocking;
    const Buffer& out = launch.outputs.out.buffer;
    DataMovementConfig config{.processor = DataMovementProcessor::RISCV_0, .noc = noc};
    config.named_compile_args =
        named(In1Args{.k_tiles = blocking.k_tiles, .block_k = blocking.in0_block_w},
              OutArgs{.n_tiles = blocking.n.tiles,
                      .block_h = blocking.m.out_block,
                      .block_w = blocking.n.out_block,
                      .subblock_h = blocking.subblock.height,
                      .subblock_w = blocking.subblock.width,
                      .num_blocks_h = blocking.m.num_blocks(),
                      .num_blocks_w = blocking.n.num_blocks(),
                      .is_sharded = out.layout == TensorMemoryLayout::INTERLEAVED ? 0U : 1U});
    // A receiver reads no tensor but writes one, so its only accessor is the output's.
    config.compile_args =
        feed == Feed::Reads ? accessors_of(in1_tensors(launch)) : accessors_of(out_tensors(launch));
    return config;
}

Words in0_args(const BlockLaunch& launch, const CoreRole& role) {
    const Blocking& blocking = launch.blocking;
    if (role.in0 == Feed::Receives) {
        return receiver_args(launch.arch, role.in0_audience, launch.in0);
    }
    if (role.in0 == Feed::Shards) {
        return launch.schedule.in0.placement == TensorPlacement::L1BlockSharded
                   ? block_sharded_args(launch, role)
                   : Words{};
    }
    // Addresses, range, handshake: the order in which in0_sender.cpp reads them.
    Words words = addresses_of(in0_tensors(launch));
    append(words, words_of(In0Range{.first_tile = role.row * blocking.m.per_core * blocking.k_tiles,
                                    .num_rows = blocking.m.valid(role.row)}));
    append(words, sender_args(launch, role.in0_audience, in0_noc(role), launch.in0));
    return words;
}

Words in1_args(const BlockLaunch& launch, const CoreRole& role) {
    if (role.in1 == Feed::Receives) {
        // The handshake comes first, because the receiver sets it up before it reads any output
        // argument.
        Words words = receiver_args(launch.arch, role.in1_audience, launch.in1);
        append(words, addresses_of(out_tensors(launch)));
        append(words, out_args(launch, role));
        return words;
    }
    Words words = addresses_of(in1_tensors(launch));
    append(words, words_of(In1Range{.first_tile = role.column * launch.blocking.n.per_core}));
    append(words, out_args(launch, role));
    append(words, sender_args(launch, role.in1_audience, in1_noc(role), launch.in1));
    return words;
}

}  // namespace tessera::ops::matmul
