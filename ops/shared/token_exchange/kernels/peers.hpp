// SPDX-License-Identifier: Apache-2.0
// The ranks that one core sends to over its link, and how packets reach them.
#pragma once

#include <cstdint>

#include "args.hpp"

using tessera::ops::token_exchange::x_of;
using tessera::ops::token_exchange::y_of;

struct Peers {
    uint32_t first_arg;
    uint32_t count;

    uint32_t target(uint32_t index) const { return peer(index).target(); }
    uint32_t rank(uint32_t index) const { return peer(index).rank(); }
    uint32_t core_x(uint32_t index) const { return x_of(peer(index).core()); }
    uint32_t core_y(uint32_t index) const { return y_of(peer(index).core()); }
    // Index of the peer with this rank; `count` if it is none.
    uint32_t find(uint32_t rank_wanted) const {
        uint32_t index = 0;
        while (index < count && rank(index) != rank_wanted) {
            ++index;
        }
        return index;
    }
    // First argument after them.
    uint32_t end() const { return first_arg + Args::kCount * count; }

private:
    using Args = tessera::ops::token_exchange::PeerArgs;

    Args::Each peer(uint32_t index) const { return {first_arg + Args::kCount * index}; }
};
inline Peers peers_from_args(uint32_t first_arg) {
    using Size = tessera::ops::token_exchange::ListSize;
    return {first_arg + Size::kCount, Size::read(first_arg).count};
}

// A core's connection, with routes in two dimensions or along the link.
class MeshLink {
public:
    explicit MeshLink(std::size_t& arg_index)
        : connection_(
              tt::tt_fabric::WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(
                  arg_index)),
          payload_header_(allocate()),
          count_header_(allocate()) {
        connection_.open();
    }
    void close() { connection_.close(); }

    void send(uint32_t target, uint32_t source, uint64_t destination, uint32_t bytes) {
        set_route(payload_header_, target);
        payload_header_->to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{destination},
                                              bytes);
        connection_.wait_for_empty_write_slot();
        connection_.send_payload_without_header_non_blocking_from_address(source, bytes);
        send_header(payload_header_);
    }
    // Adds 1 to a word after all that was sent before.
    void count(uint32_t target, uint64_t word) {
        set_route(count_header_, target);
        count_header_->to_noc_unicast_atomic_inc(
            tt::tt_fabric::NocUnicastAtomicIncCommandHeader{word, 1});
        connection_.wait_for_empty_write_slot();
        send_header(count_header_);
    }
    // Tells each peer's core that this one runs, and waits until they have told this one: nothing
    // may reach a device before its program has started.
    void start_together(const Peers& peers, uint32_t started_id) {
        const uint32_t started = get_semaphore(started_id);
        for (uint32_t i = 0; i < peers.count; ++i) {
            count(peers.target(i), get_noc_addr(peers.core_x(i), peers.core_y(i), started));
        }
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(started),
                               peers.count);
    }

private:
    using Header = volatile tt_l1_ptr tt::tt_fabric::HybridMeshPacketHeader;

    static Header* allocate() { return static_cast<Header*>(PacketHeaderPool::allocate_header()); }
    static void set_route(Header* header, uint32_t target) {
        if ((target & tessera::ops::token_exchange::kByHops) != 0) {
            tt::tt_fabric::fabric_set_unicast_route<false>(
                header, target & ~tessera::ops::token_exchange::kByHops);
        } else {
            tt::tt_fabric::fabric_set_unicast_route(header, target, 0);
        }
    }
    void send_header(Header* header) {
        connection_.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                             sizeof(*header));
    }

    tt::tt_fabric::WorkerToFabricEdmSender connection_;
    Header* payload_header_;
    Header* count_header_;
};
