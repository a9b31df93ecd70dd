// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/buffers.hpp"

#include <algorithm>

#include "ops/shared/buffer_room.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::exchange {
namespace {

constexpr std::uint32_t kHandoverBlocks = 4;  // between compute and writer
// More hide no latency: sixteen packets of Wormhole are on the wire for 10 us, a hop takes 0.65.
constexpr std::uint32_t kMostChunk = 16;

std::uint64_t buffer_bytes(const ArchSpec& arch, Transport transport, const Acts& acts,
                           std::uint32_t chunk) {
    transport.chunk_packets = chunk;
    std::uint64_t bytes = 0;
    for (const BufferSize& size : buffer_sizes(arch, transport, acts)) {
        bytes += std::uint64_t{size.tiles} * tile_bytes(size.format);
    }
    return bytes;
}

void add_sum_buffers(const ArchSpec& arch, const Transport& transport, const Acts& acts,
                     std::vector<BufferSize>& sizes) {
    // A block is one packet: it is read, added, sent and announced as a whole.
    const std::uint32_t block = sum_tiles(arch, transport);
    const DataFormat partial = partial_format(transport);
    sizes.push_back({Cb::Local, DataFormat::Float16_b, kOwnBlocks * block});
    // Slots of two chunks: the device behind fills one chunk while the other is being added.
    sizes.push_back({Cb::Received, partial, num_slots(transport.chunk_packets) * block});
    sizes.push_back({Cb::Partial, partial, kHandoverBlocks * block});
    sizes.push_back({Cb::Reduced, DataFormat::Float16_b, kHandoverBlocks * block});
    // Sums in bfloat16 need no exact addition from memory, and thus neither zeros nor earlier sums.
    if (transport.partial_sums == PartialSums::Bf16) {
        return;
    }
    sizes.push_back({Cb::Zeros, DataFormat::Float16_b, 1});
    // Sums that wait for a later phase are stored in the format in which they travel. Rounded to
    // bfloat16 they missed the tolerance of the 2x2 layer.
    if (acts.keeps_sums) {
        sizes.push_back({Cb::Earlier, partial, kOwnBlocks * block});
        sizes.push_back({Cb::Later, partial, kHandoverBlocks * block});
    }
}

bool keeps_sums(const Step& step) {
    return step.reads == Place::Workspace || step.stores == Place::Workspace;
}

}  // namespace

Acts acts_of(const GroupPlans& plans) {
    // The acts of all devices together decide, since buffers must have the same addresses
    // everywhere.
    Acts acts;
    for (const DevicePlans& device : plans) {
        for (const CorePlan& core : device) {
            for (const Phase& phase : core) {
                (phase.sums ? acts.sums : acts.gathers) = true;
                acts.keeps_sums |= std::ranges::any_of(phase.steps, keeps_sums);
            }
        }
    }
    return acts;
}

DataFormat partial_format(const Transport& transport) {
    return transport.partial_sums == PartialSums::Fp32 ? DataFormat::Float32
                                                       : DataFormat::Float16_b;
}

std::uint32_t gather_tiles(const ArchSpec& arch, const Transport& transport) {
    // By default a packet is as long as the fabric allows, because each packet costs a router the
    // same time.
    const std::uint32_t most = largest_fabric_payload(arch.noc.max_packet) / kUnitBytes;
    return transport.packet_tiles == 0 ? most : std::min(transport.packet_tiles, most);
}

std::uint32_t sum_tiles(const ArchSpec& arch, const Transport& transport) {
    // Tiles of float32 are twice as long, so fewer fit into a packet.
    const std::uint32_t most =
        largest_fabric_payload(arch.noc.max_packet) / tile_bytes(partial_format(transport));
    return transport.packet_tiles == 0 ? most : std::min(transport.packet_tiles, most);
}

std::uint32_t packet_piece(const ArchSpec& arch, std::uint32_t packet_tiles) {
    constexpr std::uint32_t kAlignment = 64;  // of DRAM on Blackhole; 32 on Wormhole, 16 in L1
    // A piece ends at an aligned byte, so that the next one can be read and written by itself.
    const std::uint32_t most =
        largest_fabric_payload(arch.noc.max_packet) / kAlignment * kAlignment;
    return packet_tiles == 0 ? most : std::min(packet_tiles * kUnitBytes, most);
}

std::uint32_t pages_per_packet(const ArchSpec& arch, const Buffer& buffer,
                               std::uint32_t packet_tiles) {
    constexpr std::uint32_t kMost = 4;  // NOC_SCATTER_WRITE_MAX_CHUNKS of a packet's header
    // Padded pages are not contiguous at the receiver; each needs a packet of its own.
    if (buffer.page_size != buffer.aligned_page_size) {
        return 1;
    }
    const std::uint32_t bytes = gather_tiles(arch, {.packet_tiles = packet_tiles}) * kUnitBytes;
    return std::clamp(bytes / buffer.page_size, 1U, kMost);
}

PagePacking page_packing(const ArchSpec& arch, const Buffer& buffer, std::uint32_t packet_tiles) {
    const std::uint32_t piece = packet_piece(arch, packet_tiles);
    return buffer.page_size > piece
               // Long pages are cut into pieces, short ones are joined. The kernels differ, as a
               // cut costs instructions for each page.
               ? PagePacking{true, piece}
               : PagePacking{false, pages_per_packet(arch, buffer, packet_tiles)};
}

std::vector<BufferSize> buffer_sizes(const ArchSpec& arch, const Transport& transport,
                                     const Acts& acts) {
    std::vector<BufferSize> sizes;
    if (acts.sums) {
        add_sum_buffers(arch, transport, acts, sizes);
    }
    if (acts.gathers) {
        const std::uint32_t block = gather_tiles(arch, transport);
        sizes.push_back(
            {Cb::Gathered, DataFormat::Float16_b, num_slots(transport.chunk_packets) * block});
        sizes.push_back({Cb::Own, DataFormat::Float16_b, kOwnBlocks * block});
    }
    return sizes;
}

std::uint32_t chunk_of(const ArchSpec& arch, const Transport& transport, const Acts& acts) {
    if (transport.chunk_packets != 0) {
        return transport.chunk_packets;
    }
    // Shrinks until the buffers fit: Blackhole's packets are twice as long, with nearly the same
    // L1.
    std::uint32_t chunk = kMostChunk;
    while (chunk > 1 && buffer_bytes(arch, transport, acts, chunk) > buffer_room(arch)) {
        --chunk;
    }
    return chunk;
}

void judge_buffers(const ArchSpec& arch, Transport transport, const Acts& acts, RuleJudge& judge) {
    transport.chunk_packets = chunk_of(arch, transport, acts);
    const std::uint64_t bytes = buffer_bytes(arch, transport, acts, transport.chunk_packets);
    judge.require(bytes <= buffer_room(arch), "chunk_packets",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              transport.chunk_packets, bytes, buffer_room(arch)));
}

}  // namespace tessera::ops::exchange
