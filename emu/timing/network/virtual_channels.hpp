// SPDX-License-Identifier: Apache-2.0
// Wormhole switching of unicast packets: the one hop loop through which writes, words, atomics,
// read requests and their answers pass ports and links. Per-class differences are rows of
// kPacketPolicies (packet_policy.hpp).
//
// At each hop the head of a packet needs a virtual channel (VC) of the link, room in the buffer
// behind the link, and time on the link's wire. It stops where it does not get all three. A stopped
// packet that fits into the buffer in front of the hop releases the links behind it. A longer one
// holds the VCs of as many links as its body fills buffers. If other packets have taken most of a
// router's buffer, the body fills more buffers and flows slower (RouterBuffer).
//
// Routers serve their inputs round robin, so a flow that joins at the last router gets as much as
// all flows from further away together. Past the dateline of a ring packets use other VCs;
// otherwise packets of a full ring would wait for each other. Requests use one VC (tt-metal gives
// them a static one). Answers choose one of two VCs at each hop.
// Source   tt-isa-documentation, WormholeB0/NoC/README.md (class, buddy and dateline bits) and
//          WormholeB0/DRAMTile/README.md (32 B of a router's buffer for each channel, and up to
//          480 B of what is shared).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/packet_policy.hpp"
#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/router_buffer.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

/// When a virtual channel is free: at a time, when the blocked packet that holds it advances, or
/// never. One number, because the hop loop compares it at each hop.
class VcAvailability {
public:
    constexpr VcAvailability() = default;
    [[nodiscard]] static constexpr VcAvailability from(Millicycles time) noexcept {
        return VcAvailability(time);
    }
    [[nodiscard]] static constexpr VcAvailability held_by(TransferId holder) noexcept {
        return VcAvailability(kHeld + index_of(holder));
    }
    /// Returns the availability of a VC that no packet may use.
    [[nodiscard]] static constexpr VcAvailability never() noexcept { return held_by(kNoTransfer); }

    /// Returns whether no time is known: a blocked packet holds the VC, or it is never free.
    [[nodiscard]] constexpr bool is_held() const noexcept { return value_ >= kHeld; }
    /// Returns the packet that holds the VC; kNoTransfer if it is never free.
    /// Precondition   is_held().
    [[nodiscard]] constexpr TransferId holder() const noexcept {
        return TransferId{static_cast<std::uint32_t>(value_ - kHeld)};
    }
    /// Returns the time from which the VC is free.
    /// Precondition   not is_held().
    [[nodiscard]] constexpr Millicycles time() const noexcept { return value_; }
    [[nodiscard]] constexpr bool is_free_at(Millicycles time) const noexcept {
        return value_ <= time;
    }
    friend constexpr auto operator<=>(VcAvailability, VcAvailability) = default;

private:
    static constexpr Millicycles kHeld =
        std::numeric_limits<Millicycles>::max() - index_of(kNoTransfer);

    constexpr explicit VcAvailability(Millicycles value) noexcept : value_(value) {}

    Millicycles value_ = 0;  ///< a time, or kHeld and the holder's number
};

class VirtualChannels {
public:
    static constexpr Millicycles kBlocked = Calendar::kNever;

    VirtualChannels(const Machine& machine, const RouterBuffer& router_buffer,
                    ResourceTable& resources, TransferPool& transfers);

    /// Time of the event, and time at which the packet moves: not before `now`. A packet that moves
    /// later holds nothing yet.
    struct Start {
        Millicycles now = 0;
        Millicycles begin = 0;
    };
    /// VC groups whose queue and buffer an advancing packet has left. Their next packets are
    /// granted once the packet holds or releases its VCs.
    struct Released {
        VcGroup queue = kNoVcGroup;
        VcGroup buffer = kNoVcGroup;
    };
    /// Outcome of advance(). 16 bytes, so that it is returned in registers.
    struct Advance {
        Millicycles end = kBlocked;  ///< first flit at the end of the route
        Released released;           ///< pass on to release() or hold_at_end()

        [[nodiscard]] bool is_blocked() const noexcept { return end == kBlocked; }
    };
    /// Advances the head of the packet of `transfer` along its route, as far as it gets. A blocked
    /// transfer comes back with an event of its own.
    [[nodiscard]] Advance advance(Transfer& transfer, Start start, EventQueue& queue);
    /// Blocks a packet at the end of its route until a resource there is free: its body holds VCs.
    void hold_at_end(Transfer& transfer, Released released, ResourceKind waits_for, Millicycles now,
                     EventQueue& queue);
    /// When the first flit passes the end of a route, and how long the rest takes to follow.
    struct Drain {
        Millicycles begin = 0;
        Millicycles duration = 0;
    };
    /// Drains a packet that has reached the end of its route, from `now` on; its tail releases the
    /// VCs. Returns when the last byte leaves the source.
    Millicycles release(Transfer& transfer, Released released, const Drain& drain, Millicycles now,
                        EventQueue& queue);

    /// Returns a request slot to `port` for a request that has been answered. `cause` is what held
    /// the answer up.
    void return_request_slot(LinkId port, ResourceKind cause, Millicycles now, EventQueue& queue);

    /// Returns whether a blocked packet has left its source as a whole.
    [[nodiscard]] static bool is_out_of_source(const NocPacket& packet) noexcept {
        return packet.is_blocked && packet.tail > 0;
    }

private:
    /// Virtual channel of a link, and its buffer in the next router.
    struct Vc {
        VcAvailability free;
        std::uint32_t blocked_bytes =
            0;                           ///< bytes of packets whose heads are blocked in the buffer
        std::uint32_t shared_taken = 0;  ///< bytes of the router's shared buffer that it has
        TransferId first =
            kNoTransfer;  ///< packets whose heads are blocked in the buffer, in order
        TransferId last = kNoTransfer;
    };
    /// State of a VcGroup. The first cache line is read by each packet that passes, the queues are
    /// in the second.
    struct alignas(128) Group {
        std::array<Vc, 2> vcs;
        std::uint32_t num_waiting = 0;
        TransferId granted = kNoTransfer;  ///< waiting packet that has an event
        bool waits_for_wire = false;       ///< the granted packet has a VC and needs the wire
        std::uint8_t next_input = 0;       ///< input that is served next if a packet waits there
        std::array<ResourceKind, 2> causes{};  ///< by VC: what delays the tail that has yet to pass
        /// Waiting packets by the router's input, first in, first out within one.
        std::array<TransferId, kRouterInputs> first{kNoTransfer, kNoTransfer, kNoTransfer};
        std::array<TransferId, kRouterInputs> last{kNoTransfer, kNoTransfer, kNoTransfer};

        [[nodiscard]] bool are_held() const noexcept {
            return vcs[0].free.is_held() && vcs[1].free.is_held();
        }
    };

    [[nodiscard]] Group& state_of(VcGroup group) noexcept { return groups_[index_of(group)]; }
    [[nodiscard]] const Group& state_of(VcGroup group) const noexcept {
        return groups_[index_of(group)];
    }
    [[nodiscard]] Resource& link(VcGroup group) const noexcept {
        return links_[index_of(link_of(group))];
    }
    [[nodiscard]] Vc& vc_of(const NocPacket& packet, std::uint32_t hop) noexcept {
        return state_of(packet.route.group_of(hop)).vcs[packet.vc_of(hop)];
    }
    [[nodiscard]] NocPacket& packet_of(TransferId transfer) const noexcept {
        return transfers_[transfer].noc_packet();
    }
    [[nodiscard]] static const PacketPolicy& policy_of(const NocPacket& packet) noexcept {
        return timing::policy_of(packet.packet_class);
    }

    // The hop loop (virtual_channels.cpp)
    template <PacketClass kClass>
    [[nodiscard]] Advance advance_as(Transfer& transfer, Start start, EventQueue& queue);
    /// Head of a packet in front of a hop, with the sums of its way there.
    struct Head {
        Millicycles at = 0;       ///< time at which it is there
        Millicycles delayed = 0;  ///< as NocPacket::delayed
        std::uint64_t vcs = 0;
        std::uint32_t hop = 0;
        std::uint32_t enough = 0;  ///< RouterBuffer::most_taken() of its packet
        bool is_first = false;     ///< the packet is served first of those that wait
    };
    enum class HopResult : std::uint8_t {
        Passed,   ///< the head is in front of the next hop, or at the end
        Refused,  ///< the head is still in front of this hop
        Behind,   ///< the head is in front of the next hop, behind another blocked head
    };
    /// Returns the VC of the group that a packet takes, or kNoVc if it has to stop.
    static constexpr std::uint32_t kNoVc = 2;
    template <PacketClass kClass>
    [[nodiscard]] std::uint32_t allocate_vc(const Head& head, std::uint32_t length,
                                            const Group& group,
                                            const Resource& link) const noexcept;
    /// Returns a VC of the group that is free at a time and has room, or kNoVc.
    template <PacketClass kClass>
    [[nodiscard]] std::uint32_t free_vc(const Group& group, const Resource& link, Millicycles at,
                                        std::uint32_t length) const noexcept;
    /// Books the wire of a hop, if the class takes any. Returns when the first flit passes, or
    /// kBlocked if that would be too late.
    template <PacketClass kClass, HopKind kHop>
    [[nodiscard]] Millicycles book(const UnicastRoute& route, std::uint32_t bytes, Millicycles at,
                                   Resource& link) const;
    /// Advances a head by one hop.
    template <PacketClass kClass, HopKind kHop>
    [[nodiscard]] HopResult pass(NocPacket& packet, std::uint32_t bytes, Head& head);
    [[nodiscard]] bool has_room(const Vc& vc, const Resource& link, std::uint32_t bytes,
                                const PacketPolicy& policy) const noexcept {
        return vc.blocked_bytes == 0 ||
               (vc.blocked_bytes + bytes <= router_buffer_.channel() &&
                (!policy.needs_own_flit || router_buffer_.has_flit_left(link)));
    }
    /// Returns whether `link` is the port at the end of a request's route and has no slot for it.
    [[nodiscard]] static bool is_port_full(const NocPacket& packet, std::uint32_t hop,
                                           const Resource& link) noexcept {
        return policy_of(packet).takes_slot && hop == packet.route.last() &&
               link.free_requests == 0;
    }

    // Blocked packets (virtual_channels.cpp)
    /// Blocks a packet in front of `hop`, in the queue of the hop's VC group or behind another
    /// head.
    void block(Transfer& transfer, std::uint32_t hop, Millicycles now, EventQueue& queue);
    /// Removes an advancing packet from its buffer and queue.
    [[nodiscard]] Released leave_buffer_and_queue(Transfer& transfer, Millicycles now,
                                                  EventQueue& queue);
    /// Grants the next packets of the groups that a packet has left. `cause` is what it waited for.
    void grant_released(Released released, ResourceKind cause, Millicycles now, EventQueue& queue);
    /// Places the head of a packet into the buffer in front of `hop`. The body fills buffers behind
    /// it and holds the VCs of links that it has not passed.
    void occupy(Transfer& transfer, std::uint32_t hop, Millicycles now, EventQueue& queue);
    /// Fills buffers with the body, from the head backwards. Returns the first hop whose VC the
    /// packet holds, or the head's hop if one buffer contains the packet.
    std::uint32_t fill_buffers(NocPacket& packet);
    /// Empties the buffers of the body from hop `first` up to the one in front of hop `head`, which
    /// is excluded.
    void empty_buffers(const NocPacket& packet, std::uint32_t first, std::uint32_t head);
    /// Holds the VCs from `tail` to the head, and no others.
    void hold_vcs(Transfer& transfer, std::uint32_t tail, Millicycles now, EventQueue& queue);
    /// Schedules the release of the VCs behind the head as the tail leaves them. Returns when the
    /// tail leaves the sender.
    Millicycles release_vcs(Transfer& transfer, const Drain& drain, bool is_slow, Millicycles now,
                            EventQueue& queue);
    /// When the tail of a packet leaves a VC, and the resource that delays or slows the packet.
    struct Tail {
        Millicycles time = 0;
        ResourceKind cause = ResourceKind::None;
    };
    void release_vc(const NocPacket& packet, std::uint32_t hop, const Tail& tail, Millicycles now,
                    EventQueue& queue);

    // Slots of ports for read requests (read_ports.cpp)
    /// Sets how many requests each port accepts.
    void set_request_slots(const Machine& machine);

    // Attribution of waits (wait_causes.cpp)
    /// Returns what a packet that stops in front of `hop` waits for: the resource that blocks the
    /// head of its queue. `ahead` is the packet in front of it there, or kNoTransfer.
    [[nodiscard]] ResourceKind cause_of_wait(const Transfer& transfer, std::uint32_t hop,
                                             TransferId ahead) const;
    /// Returns the packet that is served first of those that wait for a group, or kNoTransfer.
    [[nodiscard]] static TransferId first_of(const Group& group);
    /// Returns what the first packet in front of `hop` waits for; None if that is the hop's wire.
    [[nodiscard]] ResourceKind cause_of_first(const Transfer& transfer, std::uint32_t hop) const;

    // Queues (virtual_channel_queues.cpp)
    void enqueue(Transfer& transfer, VcGroup group, RouterInput input);
    void dequeue(Transfer& transfer, VcGroup group, RouterInput input);
    /// Schedules the next packet that waits for a group, if it can advance at all. `cause` is what
    /// held up the packet that now releases a VC of the group; None if no packet does.
    void grant_next(VcGroup group, Millicycles now, EventQueue& queue,
                    ResourceKind cause = ResourceKind::None) {
        const Group& granting = state_of(group);
        if (granting.num_waiting > 0 && granting.granted == kNoTransfer && !granting.are_held()) {
            grant_first(group, now, queue, cause);
        }
    }
    /// Precondition   packets wait, none of them has an event, and a VC is not held.
    void grant_first(VcGroup group, Millicycles now, EventQueue& queue, ResourceKind cause);
    void revoke_grant(VcGroup group);
    /// Returns the waiting packet that the router serves next, and its input.
    struct Next {
        Transfer* transfer = nullptr;
        std::uint8_t input = 0;
    };
    [[nodiscard]] Next next_waiting(const Group& group, Millicycles now) const;

    const RouterBuffer& router_buffer_;
    Millicycles buffer_time_;  ///< a link's time for the bytes of one channel's buffer
    Millicycles interface_;    ///< first flit between memory and router
    Millicycles hop_;          ///< first flit from one link to the next
    ResourceTable& resources_;
    Resource* links_;  ///< ports and links of `resources_`, which come first: read at each hop
    TransferPool& transfers_;
    std::vector<Group> groups_;  ///< by VcGroup
};

}  // namespace tessera::timing
