// SPDX-License-Identifier: Apache-2.0
// Moves unicast packets from hop to hop by wormhole switching: the one loop through which writes,
// words, atomics, requests of reads and their answers pass ports and links. In what they differ
// stands in a table (packet_policy.hpp).
//
// A packet's head needs a virtual channel of each link, room in the buffer behind it and the link's
// wire. Where it does not get them it stops. A packet that fits into the buffer where it stops
// leaves the links behind it to others; a longer one holds their channels, as many as its body
// fills. Where others have filled a router's buffer, it fills more and flows slower (RouterBuffer).
// Routers serve their inputs round robin, so traffic from near gets more than traffic from far: a
// flow that joins at the last router shares with all others at once. Past the dateline of a ring
// packets use other channels, or they would wait for each other around it. Requests keep to one
// channel (tt-metal asks for a static one); answers take whichever of two is free, at each hop
// anew.
// Source   tt-isa-documentation, WormholeB0/NoC/README.md (class, buddy and dateline bits) and
//          WormholeB0/DRAMTile/README.md (32 B of a router's buffer for each channel, and up to
//          480 B of what is shared).
#pragma once

#include <array>
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

class VirtualChannels {
public:
    static constexpr Millicycles kStopped = Calendar::kNever;

    VirtualChannels(const Machine& machine, const RouterBuffer& router_buffer,
                    ResourceTable& resources, TransferPool& transfers);

    struct Start {
        Millicycles now = 0;
        Millicycles begin = 0;  ///< of the move: not before `now`; if later, it holds nothing yet
    };
    /// Moves the head of the packet of `transfer` along its route from where it stands. Returns
    /// when its first flit is at the end, or kStopped: then the transfer comes back with an event
    /// of its own.
    Millicycles advance(std::uint32_t transfer, Start start, EventQueue& queue);
    /// Lets a packet that has come to the end of its route wait there for a resource: its body
    /// holds channels.
    void hold_at_end(std::uint32_t transfer, ResourceKind waits_for, Millicycles now,
                     EventQueue& queue);
    /// When the first flit goes through the end of a route, and how long the rest takes to follow.
    struct Drain {
        Millicycles begin = 0;
        Millicycles duration = 0;
    };
    /// Lets a packet that has come to the end of its route flow from `now` on, and its tail release
    /// the channels. Returns when the last byte leaves the source.
    Millicycles release(std::uint32_t transfer, const Drain& drain, Millicycles now,
                        EventQueue& queue);

    /// Lets `port` accept one more request of a read, as it has answered one that `cause` held up.
    void answered(std::uint32_t port, ResourceKind cause, Millicycles now, EventQueue& queue);

    /// Returns whether a packet that has stopped has left its source, whole.
    [[nodiscard]] bool is_out_of_source(const Transfer& transfer) const noexcept {
        return transfer.stands && transfer.tail > 0;
    }

private:
    /// From here on: a stopped packet holds it, whose number is added.
    static constexpr Millicycles kHeld = std::numeric_limits<Millicycles>::max() - kNone;

    /// A virtual channel of a link, and its buffer in the router behind.
    struct Channel {
        Millicycles busy = 0;            ///< until a tail has passed; or kHeld
        std::uint32_t stopped = 0;       ///< bytes in the buffer of packets whose heads stand there
        std::uint32_t shared_taken = 0;  ///< by what the buffer holds, of the router's
        std::uint32_t first = kNone;     ///< packets whose heads stand there, in order
        std::uint32_t last = kNone;
    };
    /// The channels of a link that a class of packets may take, on one side of the dateline. What
    /// each packet looks at lies in the first line of a cache, the queues in the second.
    struct alignas(128) Channels {
        std::array<Channel, 2> buddies;
        std::uint32_t num_waiting = 0;
        std::uint32_t granted = kNone;         ///< the waiting packet that has an event
        bool waits_for_wire = false;           ///< which it has to, beside the channel
        std::uint8_t next_input = 0;           ///< served next, if a packet waits there
        std::array<ResourceKind, 2> causes{};  ///< what tails that have yet to pass are late for
        /// Packets that wait, by the router's input: first in, first out within one.
        std::array<std::uint32_t, kRouterInputs> first{kNone, kNone, kNone};
        std::array<std::uint32_t, kRouterInputs> last{kNone, kNone, kNone};

        [[nodiscard]] bool are_held() const noexcept {
            return buddies[0].busy >= kHeld && buddies[1].busy >= kHeld;
        }
    };

    [[nodiscard]] static std::uint32_t number_of(const Transfer& transfer,
                                                 std::uint32_t hop) noexcept {
        return transfer.route.channels_of(hop);
    }
    [[nodiscard]] Channel& channel_of(const Transfer& transfer, std::uint32_t hop) noexcept {
        return channels_[number_of(transfer, hop)].buddies[transfer.buddy_of(hop)];
    }
    [[nodiscard]] static const PacketPolicy& policy_of(const Transfer& transfer) noexcept {
        return tessera::timing::policy_of(transfer.packet_class);
    }
    template <PacketClass kClass>
    Millicycles advance_as(std::uint32_t transfer, Start start, EventQueue& queue);
    /// The head of a packet in front of a hop, with what it has added up on its way there.
    struct Head {
        Millicycles at = 0;       ///< when it is there
        Millicycles delayed = 0;  ///< as a Transfer's
        std::uint64_t buddies = 0;
        std::uint32_t hop = 0;
        std::uint32_t enough = 0;  ///< RouterBuffer::most_taken() of its packet
        bool is_first = false;     ///< of those that wait for these channels
    };
    enum class Passage : std::uint8_t {
        Through,  ///< in front of the next hop, or at the end
        Refused,  ///< still in front of this one
        Behind,   ///< in front of the next hop, where another stands
    };
    /// Returns which of the channels in front of it a packet takes; kNone if it has to stop.
    template <PacketClass kClass>
    [[nodiscard]] std::uint32_t buddy_for(const Head& head, std::uint32_t length,
                                          const Channels& channels,
                                          const Resource& link) const noexcept;
    /// Books the wire of a hop, if its class takes any. Returns when the first flit goes through,
    /// or kStopped: that would be too late.
    template <PacketClass kClass, HopKind kHop>
    [[nodiscard]] Millicycles book(const Transfer& transfer, Millicycles at, Resource& link) const;
    /// Moves a head on by one hop.
    template <PacketClass kClass, HopKind kHop>
    [[nodiscard]] Passage pass(Transfer& transfer, Head& head);
    [[nodiscard]] bool has_room(const Channel& channel, const Resource& link, std::uint32_t bytes,
                                const PacketPolicy& policy) const noexcept {
        return channel.stopped == 0 ||
               (channel.stopped + bytes <= router_buffer_.channel() &&
                (!policy.needs_own_flit || router_buffer_.has_flit_left(link)));
    }
    /// Returns the buddy that a packet may take, or kNone.
    template <PacketClass kClass>
    [[nodiscard]] std::uint32_t free_buddy(const Channels& channels, const Resource& link,
                                           Millicycles at, std::uint32_t length) const noexcept;
    /// Returns whether `link` is the port of a request, which does not accept another.
    [[nodiscard]] static bool is_port_full(const Transfer& transfer, std::uint32_t hop,
                                           const Resource& link) noexcept {
        return policy_of(transfer).takes_slot && hop == transfer.route.last() &&
               link.free_requests == 0;
    }
    /// What a packet that goes on lets go of: channels in whose queue, and in whose buffer it was.
    struct Left {
        std::uint32_t queue = kNone;
        std::uint32_t buffer = kNone;
        ResourceKind cause = ResourceKind::None;  ///< of its wait there
    };
    // Ports (read_ports.cpp)
    /// Sets how many requests ports accept.
    void open_ports(const Machine& machine);

    // What waits count for (wait_causes.cpp)
    /// What a packet that stops in front of `hop` waits for: the resource that holds up the first
    /// of the line in which it stands. `ahead` is the packet in front of it there, kNone if there
    /// is none.
    [[nodiscard]] ResourceKind cause_of_wait(const Transfer& transfer, std::uint32_t hop,
                                             std::uint32_t ahead) const;
    /// Notes what has held up a packet that is to go on, as one that stood before it knows; None if
    /// it does not.
    static void note_cause(Transfer& transfer, ResourceKind cause) noexcept {
        transfer.waits_for = cause == ResourceKind::None ? transfer.waits_for : cause;
    }
    /// Returns the packet that goes first of those that wait for channels; kNone if none waits.
    [[nodiscard]] static std::uint32_t first_of(const Channels& channels);
    /// What a packet waits for that is the first in front of `hop`; None if that is the wire there.
    [[nodiscard]] ResourceKind cause_of_first(const Transfer& transfer, std::uint32_t hop) const;

    void stop(std::uint32_t transfer, std::uint32_t hop, Millicycles now, EventQueue& queue);
    /// Takes a packet that goes on out of the buffer and the queue in which it stood.
    [[nodiscard]] Left leave(Transfer& transfer, Millicycles now, EventQueue& queue);
    void grant_left(const Left& left, Millicycles now, EventQueue& queue);
    /// Lets the head of a packet stand in front of `hop`: the body fills buffers, and holds the
    /// channels of links that it has not passed.
    void stand(std::uint32_t transfer, std::uint32_t hop, Millicycles now, EventQueue& queue);
    /// Lays the body into buffers from in front of the head backwards. Returns the first hop whose
    /// channel it holds, or the head's if it lies in one buffer.
    std::uint32_t lay_body(Transfer& transfer);
    /// Takes the body out of the buffers from hop `first` on that lie behind the one in front of
    /// hop `head`.
    void lift_body(const Transfer& transfer, std::uint32_t first, std::uint32_t head);
    /// Holds the channels from `tail` to the head, and no others.
    void hold(std::uint32_t transfer, std::uint32_t tail, Millicycles now, EventQueue& queue);
    /// Frees channels behind the head as the tail leaves them, and returns when it leaves the
    /// sender.
    Millicycles free_late(Transfer& transfer, const Drain& drain, bool is_slow, Millicycles now,
                          EventQueue& queue);
    /// When the tail of a packet leaves a channel, and what it has waited for, or is slowed by.
    struct Tail {
        Millicycles time = 0;
        ResourceKind cause = ResourceKind::None;
    };
    void release_channel(const Transfer& transfer, std::uint32_t hop, const Tail& tail,
                         Millicycles now, EventQueue& queue);
    // Queues (virtual_channel_queues.cpp)
    void enqueue(std::uint32_t transfer, std::uint32_t channels, RouterInput input);
    void dequeue(Transfer& transfer, std::uint32_t channels, RouterInput input);
    /// Gives the next packet that waits for `channels` its event, if it can go on at all. `cause`
    /// is what held up a packet that now releases one of them; None if none does.
    void grant_next(std::uint32_t channels, Millicycles now, EventQueue& queue,
                    ResourceKind cause = ResourceKind::None) {
        const Channels& granting = channels_[channels];
        if (granting.num_waiting > 0 && granting.granted == kNone && !granting.are_held()) {
            grant_first(channels, now, queue, cause);
        }
    }
    /// Precondition   packets wait, none of them has an event, and a channel is not held.
    void grant_first(std::uint32_t channels, Millicycles now, EventQueue& queue,
                     ResourceKind cause);
    void take_back_grant(std::uint32_t channels);
    [[nodiscard]] std::uint32_t next_waiting(Channels& channels, Millicycles now) const;

    const RouterBuffer& router_buffer_;
    Millicycles buffer_time_;
    Millicycles interface_;  ///< of the first flit, from memory to router, and back
    Millicycles hop_;        ///< from one link to the next
    ResourceTable& resources_;
    Resource* links_;  ///< of `resources_`, ports and links first: looked up at each hop
    TransferPool& transfers_;
    std::vector<Channels> channels_;  ///< by UnicastRoute::channels_of
    Left left_;                       ///< by the packet that has just come to the end of its route
};

}  // namespace tessera::timing
