// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_exchange/cores.hpp"

#include <algorithm>

#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/exchange/program.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::token_exchange {

CoreCoord Rank::core(std::uint32_t index) const {
    // Cores are numbered along rows, since writers leave a core along its column. Eight cores in a
    // row took 190 us and in a column 499 us (all_gather, predicted).
    const std::uint32_t columns = arch.workers.compute.columns;
    return {index % columns, index / columns};
}

std::vector<CoreCoord> Rank::rest() const {
    const std::uint32_t count = arch.workers.compute.columns * arch.workers.compute.rows;
    std::vector<CoreCoord> cores;
    // The control core comes right after the senders.
    for (std::uint32_t i = num_senders() + 1; i < count; ++i) {
        cores.push_back(core(i));
    }
    return cores;
}

std::uint32_t Rank::way_to(std::uint32_t other) const {
    if (other == position) {
        return kStays;
    }
    // A packet may turn once. Its first hop decides the link, and with it the core that sends.
    const LinkDirection first =
        opposite_goes_forward
            ? straight_route(mesh.shape, mesh.topology, device(), devices[other])->direction
            : mesh_route(mesh.shape, mesh.topology, device(), devices[other]).first();
    return static_cast<std::uint32_t>(first);
}

std::uint32_t Rank::target_of(std::uint32_t other) const {
    // The top bit marks a distance; otherwise the word is the number of a device.
    constexpr std::uint32_t kByHops = 1U << 31;
    return opposite_goes_forward
               ? kByHops | straight_route(mesh.shape, mesh.topology, device(), devices[other])->hops
               : devices[other];
}

// Ranks begin with different peers, or all would send to the same one at a time.
std::vector<std::uint32_t> Rank::peers_of(std::uint32_t way) const {
    const auto size = static_cast<std::uint32_t>(devices.size());
    std::vector<std::uint32_t> peers;
    for (std::uint32_t step = 0; step < size; ++step) {
        const std::uint32_t other = (position + step) % size;
        if (way_to(other) == way) {
            peers.push_back(other);
        }
    }
    // On a line the links in the middle carry most: a core that sends to the far end first keeps
    // what is nearer for when they have nothing left to do.
    if (mesh.topology == Topology::Line) {
        std::ranges::stable_sort(peers, {}, [&](std::uint32_t other) {
            return mesh_route(mesh.shape, mesh.topology, device(), devices[other]).hops();
        });
    }
    return peers;
}

void judge_links(const ArchSpec& arch, std::uint32_t links, std::uint32_t others,
                 RuleJudge& judge) {
    const bool has_links = links >= 1 && links <= kLinksPerDirection;
    judge.require(has_links, "links",
                  fmt::format("is {}; a direction has 1 to {}", links, kLinksPerDirection));
    const std::uint32_t cores = arch.workers.compute.columns * arch.workers.compute.rows;
    // Each direction has its cores, also those without peers: the layout is the same on all
    // devices, so that addresses are.
    const std::uint32_t taken = kWays * links + others;
    judge.require(!has_links || taken <= cores, "links",
                  fmt::format("{} take {} cores; {} has {}", links, taken, arch.name, cores));
}

std::uint32_t core_word(const ArchSpec& arch, CoreCoord core) {
    const CoreCoord origin = arch.workers.virtual_origin;
    // Virtual coordinates, x below and y above 16 bits.
    return (origin.x + core.x) | (origin.y + core.y) << 16U;
}

std::vector<std::uint32_t> peer_words(const Rank& rank, std::uint32_t way, std::uint32_t link) {
    const std::vector<std::uint32_t> peers = rank.peers_of(way);
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(peers.size())};
    for (const std::uint32_t peer : peers) {
        const Rank other{rank.arch, rank.mesh,  rank.devices,
                         peer,      rank.links, rank.opposite_goes_forward};
        // The core at the peer that sends back here: its start is awaited before anything is sent.
        const CoreCoord back = other.sender(other.way_to(rank.position), link);
        append(words, std::array{rank.target_of(peer), peer, core_word(rank.arch, back)});
    }
    return words;
}

void append_peers(std::vector<std::uint32_t>& args, const Rank& rank, std::uint32_t way,
                  std::uint32_t link, Program& program) {
    const std::vector<std::uint32_t> peers = peer_words(rank, way, link);
    append(args, peers);
    // A core without peers opens no connection.
    if (way != kStays && peers[0] != 0) {
        append_fabric_connection_rt_args(static_cast<LinkDirection>(way), link, program,
                                         rank.sender(way, link), args);
    }
}

std::uint32_t piece_bytes(const ArchSpec& arch, std::uint32_t row_bytes) {
    // Aligned to 64 bytes, the longest DRAM alignment, so that any piece can be read by itself.
    return std::min((row_bytes + 63) / 64 * 64, exchange::packet_piece(arch));
}

void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index,
                std::uint32_t page_bytes, std::uint32_t pages) {
    const std::uint32_t page = (page_bytes + 63) / 64 * 64;
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(pages * page, {{index, DataFormat::UInt32}})
                             .set_page_size(index, page));
}

CoreRangeSet range_set(std::span<const CoreCoord> cores) {
    std::vector<CoreRange> ranges;
    for (const CoreCoord& core : cores) {
        ranges.emplace_back(core);
    }
    return CoreRangeSet(ranges);
}

void append(std::vector<std::uint32_t>& args, std::span<const std::uint32_t> more) {
    args.insert(args.end(), more.begin(), more.end());
}

void append_accessor(std::vector<std::uint32_t>& args, const DeviceTensor& tensor) {
    TensorAccessorArgs(tensor.buffer).append_to(args);
}

}  // namespace tessera::ops::token_exchange
