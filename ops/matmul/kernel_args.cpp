// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/kernel_args.hpp"

#include <utility>

#include "ops/matmul/circular_buffers.hpp"

namespace tessera::ops::matmul {
namespace {

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

CoreCoord virtual_coord(const ArchSpec& arch, CoreCoord core) {
    return {arch.workers.virtual_origin.x + core.x, arch.workers.virtual_origin.y + core.y};
}

/// Corners in the order in which the NoC runs.
void append_rectangle(Words& words, const ArchSpec& arch, const CoreRange& rectangle, NOC noc) {
    CoreCoord start = virtual_coord(arch, rectangle.start_coord);
    CoreCoord end = virtual_coord(arch, rectangle.end_coord);
    if (noc == NOC::NOC_1) {
        std::swap(start, end);
    }
    append(words, {start.x, start.y, end.x, end.y});
}

/// As upstream on Blackhole, whose NoC is slow enough for a RISC to change data before it leaves.
/// Elsewhere a block has left before its pages are used again, if there are others to use first.
/// The name is asked for because upstream's kernel does so (#ifdef ARCH_BLACKHOLE): what is
/// prototyped here is what would be compiled there.
/// Source   tt-metal ttnn/cpp/ttnn/operations/matmul/device/kernels/dataflow/
///          reader_bmm_tile_layout_in0_sender_padding.cpp, behind the multicast of a block.
std::uint32_t flushes(const BlockLaunch& launch) {
    const bool reuses_at_once =
        launch.schedule.cb_depth == 1 || launch.blocking.num_k_blocks() == 1;
    return launch.arch.architecture == "blackhole" || reuses_at_once ? 1 : 0;
}

void append_sender(Words& words, const BlockLaunch& launch, const Audience& audience, NOC noc,
                   Handshake handshake) {
    append_rectangle(words, launch.arch, audience.rectangle, noc);
    append(words, {audience.num_receivers, audience.num_replies, handshake.replies, handshake.flag,
                   flushes(launch)});
}

Words receiver_args(const ArchSpec& arch, const Audience& audience, Handshake handshake) {
    const CoreCoord sender = virtual_coord(arch, audience.sender);
    return {sender.x, sender.y, handshake.replies, handshake.flag};
}

Words block_sharded_args(const BlockLaunch& launch, const CoreRole& role) {
    Words words;
    append_rectangle(words, launch.arch, role.in0_audience.rectangle, in0_noc(role));
    const CoreCoord first = virtual_coord(launch.arch, role.in0_audience.rectangle.start_coord);
    append(words, {launch.blocking.n.cores, role.column, first.x, first.y, launch.in0.replies,
                   launch.in0.flag, launch.valid, flushes(launch)});
    return words;
}

Words out_args(const BlockLaunch& launch, const CoreRole& role) {
    const Blocking& blocking = launch.blocking;
    const std::uint32_t first_row = role.row * blocking.m.per_core;
    const std::uint32_t first_column = role.column * blocking.n.per_core;
    return {launch.outputs.out.buffer.address, first_row * blocking.n.tiles + first_column,
            blocking.m.valid(role.row), blocking.n.valid(role.column)};
}

std::uint32_t num_blocks(const Blocking& blocking) {
    return blocking.m.num_blocks() * blocking.n.num_blocks() * blocking.num_k_blocks();
}

}  // namespace

NOC in0_noc(const CoreRole& role) {
    return role.has_swapped_nocs ? NOC::NOC_0 : NOC::NOC_1;
}

NOC in1_noc(const CoreRole& role) {
    return role.has_swapped_nocs ? NOC::NOC_1 : NOC::NOC_0;
}

Words in0_compile_args(const BlockLaunch& launch, Feed feed) {
    const Blocking& blocking = launch.blocking;
    if (feed == Feed::Receives) {
        return {blocking.m.out_block * blocking.in0_block_w, num_blocks(blocking)};
    }
    if (launch.schedule.in0.placement == TensorPlacement::L1BlockSharded) {
        return {blocking.m.out_block,    blocking.in0_block_w,    in0_shard_width(blocking),
                blocking.num_k_blocks(), blocking.m.num_blocks(), blocking.n.num_blocks()};
    }
    Words words{blocking.k_tiles, blocking.in0_block_w, blocking.m.out_block,
                blocking.m.num_blocks(), blocking.n.num_blocks()};
    if (feed == Feed::Shards) {
        words.push_back(takes_in0_in_place(blocking, launch.schedule) ? 1 : 0);
    } else {
        TensorAccessorArgs(launch.inputs.in0.buffer).append_to(words);
    }
    return words;
}

Words in1_compile_args(const BlockLaunch& launch, Feed feed) {
    const Blocking& blocking = launch.blocking;
    const Buffer& out = launch.outputs.out.buffer;
    Words words{blocking.k_tiles,        blocking.in0_block_w,
                blocking.n.tiles,        blocking.m.out_block,
                blocking.n.out_block,    blocking.subblock.height,
                blocking.subblock.width, blocking.m.num_blocks(),
                blocking.n.num_blocks(), out.layout == TensorMemoryLayout::INTERLEAVED ? 0U : 1U};
    if (feed == Feed::Reads) {
        TensorAccessorArgs(launch.inputs.in1.buffer).append_to(words);
    }
    TensorAccessorArgs(out).append_to(words);
    return words;
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
    Words words{launch.inputs.in0.buffer.address, role.row * blocking.m.per_core * blocking.k_tiles,
                blocking.m.valid(role.row)};
    append_sender(words, launch, role.in0_audience, in0_noc(role), launch.in0);
    return words;
}

Words in1_args(const BlockLaunch& launch, const CoreRole& role) {
    if (role.in1 == Feed::Receives) {
        Words words = receiver_args(launch.arch, role.in1_audience, launch.in1);
        append(words, out_args(launch, role));
        return words;
    }
    Words words{launch.inputs.in1.buffer.address, role.column * launch.blocking.n.per_core};
    append(words, out_args(launch, role));
    append_sender(words, launch, role.in1_audience, in1_noc(role), launch.in1);
    return words;
}

}  // namespace tessera::ops::matmul
