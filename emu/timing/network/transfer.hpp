// SPDX-License-Identifier: Apache-2.0
// Holds one transfer in flight, and numbers transfers in a pool.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/packet_policy.hpp"
#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/transport.hpp"

namespace tessera::timing {

/// What a transfer does when its event is due.
enum class TransferStage : std::uint8_t {
    Ready,         ///< its command is written: it joins the queue of its interface
    Inject,        ///< first of that queue: its next packet asks for its path
    InjectNext,    ///< a packet of it has left, and the next asks for its path
    Reserved,      ///< multicast: the routers of the tree have answered
    Request,       ///< read: its request goes on along its route
    AtMemory,      ///< read request at a DRAM bank
    Buffered,      ///< a written packet's copy in front of a DRAM bank
    Respond,       ///< data read: the packet back asks for its path
    Depart,        ///< last byte has left the source
    Deliver,       ///< last byte is in place
    Acknowledge,   ///< the issuer knows
    LinkSend,      ///< packet in the sender's buffer of a mesh link
    LinkTaken,     ///< the link has taken it from there
    LinkReceive,   ///< packet at the far end of a mesh link
    LinkPassed,    ///< multicast packet in place there, and in the next link's buffer
    PartsArrived,  ///< every part of a read that was split has arrived
};

/// By lines of a cache: where its packet stands, the route, the account of its time, of which every
/// attempt to go on takes all three; then what is read once or twice.
struct alignas(64) Transfer {
    TransferStage stage{};
    PacketClass packet_class{};
    bool is_queued = false;              ///< for a virtual channel of hop `head`
    bool stands = false;                 ///< in the buffer in front of hop `head`
    bool has_left = false;               ///< its source: the next packet may follow
    bool has_room = false;               ///< in the buffer of the bank that it writes to
    bool waits_for_bank = false;         ///< all of it has left, and lies in that buffer
    bool is_answered = false;            ///< a read: its port has let go of its request
    std::uint32_t packet = 0;            ///< bytes of the packet that is sent next
    std::uint32_t length = 0;            ///< bytes that it takes in buffers, with its header
    std::uint32_t head = 0;              ///< hop in front of which the packet's head last stopped
    std::uint32_t held = 0;              ///< behind the last hop whose virtual channel it holds
    std::uint32_t tail = 0;              ///< the first such hop
    std::uint32_t filled = 0;            ///< first hop behind which its body lies in a buffer
    std::uint32_t next_waiting = kNone;  ///< in the queue of the resource `waiting_on`
    std::uint32_t next_behind = kNone;   ///< in the same buffer
    std::uint32_t waiting_on = kNone;
    std::uint32_t port = 0;     ///< a read: resource that has accepted its request
    std::uint64_t buddies = 0;  ///< which channel of each hop it takes: bit by hop
    Millicycles reach = 0;      ///< when the head gets to where it waits

    UnicastRoute route;       ///< of its packet
    Millicycles stamp = 0;    ///< up to when `transit` holds
    Millicycles delayed = 0;  ///< on its way since it last stopped, without stopping

    Transit transit{};

    Millicycles wait_duration = 0;  ///< where it waits, or on the wire behind the virtual channel
    Millicycles wait_offset = 0;    ///< of `waiting_on` on the path
    Millicycles throttled = 0;      ///< how long its body takes where a buffer is short
    Millicycles departs = 0;        ///< when injection is done, if nothing stops the packet
    Millicycles slowest = 0;        ///< longest occupation by the last packet
    ResourceKind slowest_kind{};
    ResourceKind waits_for{};      ///< its packet on its way, since it last stopped
    std::uint8_t hops_done = 0;    ///< mesh links passed
    std::uint16_t device = 0;      ///< where it is: mesh packets
    std::uint32_t left = 0;        ///< bytes of packets that have not been sent
    std::uint32_t interface = 0;   ///< of the issuer, by (device, noc, node)
    std::uint32_t parts = 0;       ///< of these: not arrived, or not begun with by a bank
    std::uint32_t parent = kNone;  ///< of a part of a split read, of a branch of a packet, of a
                                   ///< packet in a bank's buffer
    std::uint32_t next_in_fifo = kNone;  ///< of the interface

    Request request;
    CoreCoord own;                    ///< physical node of the issuer
    CoreCoord far;                    ///< physical node of `place`
    Millicycles arrival = 0;          ///< last byte of the last packet in place
    Millicycles acknowledged = 0;     ///< a multicast: by the last of its receivers
    std::uint32_t slot = kNone;       ///< link in whose far router it lies: mesh packets
    std::uint32_t next_slot = kNone;  ///< link whose far router has a slot for it

    [[nodiscard]] std::uint32_t buddy_of(std::uint32_t hop) const noexcept {
        return static_cast<std::uint32_t>(buddies >> hop & 1U);
    }
    /// Returns what its packet waits for on its way; `other` if it has not stopped.
    [[nodiscard]] ResourceKind cause_or(ResourceKind other) const noexcept {
        return waits_for == ResourceKind::None ? other : waits_for;
    }
    /// Accounts the time from `stamp` to `now` to `kind`.
    void spend(ResourceKind kind, Millicycles now) noexcept {
        transit[static_cast<std::size_t>(kind)] += now - stamp;
        stamp = now;
    }
};

/// Numbers transfers. Numbers are given out again; nothing is allocated once there are enough.
class TransferPool {
public:
    [[nodiscard]] std::uint32_t take() {
        if (free_.empty()) {
            all_.emplace_back();
            return static_cast<std::uint32_t>(all_.size() - 1);
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        all_[number] = blank_;
        return number;
    }
    void release(std::uint32_t number) { free_.push_back(number); }
    [[nodiscard]] Transfer& operator[](std::uint32_t number) noexcept { return all_[number]; }
    [[nodiscard]] const Transfer& operator[](std::uint32_t number) const noexcept {
        return all_[number];
    }

private:
    std::vector<Transfer> all_;
    std::vector<std::uint32_t> free_;
    Transfer blank_;  ///< copied, which takes less than to set each member
};

}  // namespace tessera::timing
