// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_exchange/cores.hpp"

#include <algorithm>

#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/exchange/program.hpp"
#include "ops/shared/work_share.hpp"
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

std::uint32_t Rank::direction_to(std::uint32_t other) const {
    if (other == position) {
        return kLocal;
    }
    // A packet may turn once. Its first hop decides the link, and with it the core that sends.
    const LinkDirection first =
        opposite_goes_forward
            ? straight_route(mesh.shape, mesh.topology, device(), devices[other])->direction
            : mesh_route(mesh.shape, mesh.topology, device(), devices[other]).first();
    return static_cast<std::uint32_t>(first);
}

std::uint32_t Rank::target_of(std::uint32_t other) const {
    return opposite_goes_forward
               ? kByHops | straight_route(mesh.shape, mesh.topology, device(), devices[other])->hops
               : devices[other];
}

// Ranks begin with different peers, or all would send to the same one at a time.
std::vector<std::uint32_t> Rank::peers_of(std::uint32_t direction) const {
    const auto size = static_cast<std::uint32_t>(devices.size());
    std::vector<std::uint32_t> peers;
    for (std::uint32_t step = 0; step < size; ++step) {
        const std::uint32_t other = (position + step) % size;
        if (direction_to(other) == direction) {
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
    const std::uint32_t taken = kDirections * links + others;
    judge.require(!has_links || taken <= cores, "links",
                  fmt::format("{} take {} cores; {} has {}", links, taken, arch.name, cores));
}

std::uint32_t core_word(const ArchSpec& arch, CoreCoord core) {
    const CoreCoord place = on_noc(arch, core);
    return word_of_core(place.x, place.y);
}

std::vector<std::uint32_t> peer_words(const Rank& rank, std::uint32_t direction,
                                      std::uint32_t link) {
    const std::vector<std::uint32_t> peers = rank.peers_of(direction);
    auto words = words_of(ListSize{.count = static_cast<std::uint32_t>(peers.size())});
    for (const std::uint32_t peer : peers) {
        const Rank other{rank.arch, rank.mesh,  rank.devices,
                         peer,      rank.links, rank.opposite_goes_forward};
        // The core at the peer that sends back here: its start is awaited before anything is sent.
        const CoreCoord back = other.sender(other.direction_to(rank.position), link);
        append(words, words_of(PeerArgs{.target = rank.target_of(peer),
                                        .rank = peer,
                                        .core = core_word(rank.arch, back)}));
    }
    return words;
}

std::vector<std::uint32_t> connected_peer_words(const Rank& rank, std::uint32_t direction,
                                                std::uint32_t link, Program& program) {
    std::vector<std::uint32_t> words = peer_words(rank, direction, link);
    // A core without peers opens no connection.
    if (direction != kLocal && !rank.peers_of(direction).empty()) {
        append_fabric_connection_rt_args(static_cast<LinkDirection>(direction), link, program,
                                         rank.sender(direction, link), words);
    }
    return words;
}

std::uint32_t piece_bytes(const ArchSpec& arch, std::uint32_t row_bytes) {
    // Padded, so that any piece can be read by itself.
    return std::min(padded(row_bytes), exchange::packet_piece(arch));
}

WriterArgs writer_args(const Rank& rank, std::uint32_t direction, std::uint32_t row_bytes,
                       WriterSemaphores semaphores) {
    const CoreCoord control = on_noc(rank.arch, rank.control());
    return {.rank = rank.position,
            .sends_table = 0,
            .row_bytes = row_bytes,
            .piece_bytes = piece_bytes(rank.arch, row_bytes),
            .scales_bytes = 0,
            .started_semaphore = semaphores.started,
            .control_x = control.x,
            .control_y = control.y,
            .tables_semaphore = semaphores.rows_arrived,
            .rows_semaphore = semaphores.rows_arrived,
            .is_local = direction == kLocal ? 1U : 0U,
            .table_packet = 0};
}

KernelHandle add_row_writer(Program& program, const CoreRangeSet& cores,
                            const WriterTensors& tensors, const ShapeArgs& shape) {
    return CreateKernel(program, "ops/shared/token_exchange/kernels/dispatch_writer.cpp", cores,
                        writer_config(shape, tensors));
}

CoreRangeSet range_set(std::span<const CoreCoord> cores) {
    std::vector<CoreRange> ranges;
    for (const CoreCoord& core : cores) {
        ranges.emplace_back(core);
    }
    return CoreRangeSet(ranges);
}

std::vector<std::uint32_t> core_words(const ArchSpec& arch, std::span<const CoreCoord> cores) {
    auto words = words_of(ListSize{.count = static_cast<std::uint32_t>(cores.size())});
    for (const CoreCoord& core : cores) {
        append(words, words_of(CoreWord{.core = core_word(arch, core)}));
    }
    return words;
}

void append(std::vector<std::uint32_t>& args, std::span<const std::uint32_t> more) {
    args.insert(args.end(), more.begin(), more.end());
}

}  // namespace tessera::ops::token_exchange
