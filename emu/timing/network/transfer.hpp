// SPDX-License-Identifier: Apache-2.0
// Transfers in flight and the pool that holds them. A transfer is a header that all kinds share,
// and a body of its kind: unicast, read, multicast, mesh packet, or data in front of a DRAM bank.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/packet_policy.hpp"
#include "emu/timing/transport.hpp"

namespace tessera::timing {

/// Next step of a transfer, which runs when the transfer's event is due.
enum class TransferStage : std::uint8_t {
    Ready,         ///< the command is written: it joins its interface's queue
    Inject,        ///< first of that queue: the next packet requests its path
    InjectNext,    ///< a packet has left the source, and the next requests its path
    Reserved,      ///< multicast: the routers of the tree have answered
    Request,       ///< read: the request advances along its route
    AtMemory,      ///< read: the request is at a DRAM bank
    Buffered,      ///< bank write: the data are in front of the bank
    Respond,       ///< read: the answer requests its path
    Depart,        ///< the last byte has left the source
    Deliver,       ///< the last byte is in place
    Acknowledge,   ///< the issuer knows that the data are in place
    LinkSend,      ///< mesh packet in the sender's buffer of a mesh link
    LinkTaken,     ///< the mesh link has taken the packet from there
    LinkReceive,   ///< mesh packet at the far end of a mesh link
    LinkPassed,    ///< mesh multicast: in place on this device, and in the next link's buffer
    PartsArrived,  ///< read: every packet of a split read has arrived
};

/// Packet that passes a NoC hop by hop (VirtualChannels): position of its head and body, and what
/// blocks it.
struct NocPacket {
    PacketClass packet_class{};
    bool is_queued = false;    ///< waits in the queue of the VC group of hop `head`
    bool is_blocked = false;   ///< its head occupies the buffer in front of hop `head`
    ResourceKind waits_for{};  ///< resource that has blocked it since it last stopped
    std::uint32_t length = 0;  ///< bytes in router buffers: payload and header, in whole flits
    std::uint32_t head = 0;    ///< hop that the head requests next
    std::uint32_t held = 0;    ///< hop behind the last one whose VC it holds; 0: holds none
    std::uint32_t tail = 0;    ///< first hop whose VC it holds
    std::uint32_t filled = 0;  ///< first hop whose far buffer holds part of the body
    TransferId next_behind = kNoTransfer;  ///< packet whose head is next in the buffer
    std::uint64_t vcs = 0;                 ///< VC that it takes at each hop: bit by hop
    Millicycles reach = 0;                 ///< time at which the head reaches hop `head`
    Millicycles delayed = 0;    ///< sum of short waits that its buffers hid, since it last stopped
    Millicycles throttled = 0;  ///< duration of the body where buffers are short
    UnicastRoute route;
    Millicycles departs = 0;  ///< end of injection if nothing blocks the packet

    [[nodiscard]] std::uint32_t vc_of(std::uint32_t hop) const noexcept {
        return static_cast<std::uint32_t>(vcs >> hop & 1U);
    }
    /// Returns the resource that has blocked the packet; `other` if it has not stopped.
    [[nodiscard]] ResourceKind cause_or(ResourceKind other) const noexcept {
        return waits_for == ResourceKind::None ? other : waits_for;
    }
    /// Sets the cause of the wait, if it is known.
    void note_cause(ResourceKind cause) noexcept {
        waits_for = cause == ResourceKind::None ? waits_for : cause;
    }
};

/// Write, word or atomic to one place.
struct Unicast : NocPacket {
    bool has_left = false;           ///< the whole packet is in routers: the next command may start
    bool has_room = false;           ///< room is reserved for the packet in its bank's write buffer
    bool waits_for_bank = false;     ///< has left the source; the bank has not begun with all of it
    std::uint32_t bank_packets = 0;  ///< packets that the bank has not begun with
};

/// Read, or one packet of a read that was split.
struct Read : NocPacket {
    bool is_answered = false;        ///< the far port has released the request's slot
    LinkId port{};                   ///< ejection port that has accepted the request
    std::uint32_t parts = 0;         ///< packets of a split read that have not arrived
    TransferId whole = kNoTransfer;  ///< split read of which this is a packet
};

/// Block or word to each worker of a rectangle.
struct Multicast {
    Millicycles acknowledged = 0;  ///< arrival of the last receiver's acknowledgement
};

/// Packet of the fabric between devices.
struct MeshPacket {
    std::uint16_t device = 0;    ///< device that it has reached
    std::uint8_t hops_done = 0;  ///< mesh links passed
    std::uint32_t branches = 0;  ///< itself and its branches that have not ended; 0: cannot branch
    TransferId trunk = kNoTransfer;     ///< packet of which this is a branch
    std::uint32_t slot = kNoSlot;       ///< link whose far router holds it
    std::uint32_t next_slot = kNoSlot;  ///< link whose far router has reserved a slot for it
    static constexpr std::uint32_t kNoSlot = 0xFFFFFFFFU;
};

/// Packet of a write in the buffer of a DRAM bank. It is a transfer of its own, because the write's
/// next packet leaves its source meanwhile.
struct BankWrite {
    TransferId write = kNoTransfer;
};

/// Laid out by cache lines: the header's members that each attempt reads, the account of time, the
/// body (a NocPacket fills two lines), then members that are read once or twice.
struct alignas(64) Transfer {
    TransferId id = kNoTransfer;
    TransferStage stage{};
    ResourceKind slowest_kind{};     ///< resource of `slowest`
    std::uint32_t packet_bytes = 0;  ///< payload of the packet that is sent next
    std::uint32_t unsent = 0;        ///< bytes of packets that have not left, this one included
    TransferId next_waiting = kNoTransfer;  ///< next in its VC group's, resource's or bank's queue
    ResourceId waiting_on = kNoResource;    ///< resource whose queue it is in (ResourceQueues)
    TransferId next_in_fifo = kNoTransfer;  ///< next in its interface's or mesh link's queue
    std::uint32_t interface = 0;            ///< interface of the issuer, by (device, noc, node)
    Millicycles stamp = 0;                  ///< time up to which `transit` accounts
    Millicycles wait_duration = 0;          ///< occupation of the resource that it waits for
    Millicycles slowest = 0;                ///< longest occupation by the packet's body

    alignas(64) Transit transit{};

    std::variant<Unicast, Read, Multicast, MeshPacket, BankWrite> body;

    Request request;
    CoreCoord own;                ///< physical node of the issuer
    CoreCoord far;                ///< physical node of `request.place`
    Millicycles arrival = 0;      ///< last byte of the last packet in place
    Millicycles wait_offset = 0;  ///< offset of `waiting_on` on the path

    /// Returns the body.
    /// Precondition   the transfer is of that kind.
    template <class Body>
    [[nodiscard]] Body& as() noexcept {
        return *std::get_if<Body>(&body);
    }
    template <class Body>
    [[nodiscard]] const Body& as() const noexcept {
        return *std::get_if<Body>(&body);
    }
    [[nodiscard]] bool is_read() const noexcept { return std::holds_alternative<Read>(body); }
    [[nodiscard]] bool is_multicast() const noexcept {
        return std::holds_alternative<Multicast>(body);
    }
    [[nodiscard]] bool is_mesh_packet() const noexcept {
        return std::holds_alternative<MeshPacket>(body);
    }
    /// Returns the packet of a unicast or read. Both begin with it, so the compiler reduces this to
    /// an address.
    /// Precondition   the transfer is a unicast or read.
    [[nodiscard]] NocPacket& noc_packet() noexcept {
        if (auto* const read = std::get_if<Read>(&body)) {
            return *read;
        }
        auto* const unicast = std::get_if<Unicast>(&body);
        if (unicast == nullptr) {
            __builtin_unreachable();
        }
        return *unicast;
    }
    [[nodiscard]] const NocPacket& noc_packet() const noexcept {
        return const_cast<Transfer*>(this)->noc_packet();
    }

    /// Accounts the time from `stamp` to `now` to `kind`.
    void spend(ResourceKind kind, Millicycles now) noexcept {
        transit[static_cast<std::size_t>(kind)] += now - stamp;
        stamp = now;
    }
    /// Sets the longest occupation by the packet's body.
    void set_slowest(ResourceKind kind, Millicycles duration) noexcept {
        slowest = duration;
        slowest_kind = kind;
    }
};

static_assert(sizeof(NocPacket) <= 128 && sizeof(Transfer) == 384,
              "replays keep thousands of transfers: each line more is a cache miss more");

/// Transfer before its start, by kind. Copying it takes less time than setting each member.
template <class Body>
inline constexpr Transfer kNewTransfer{.body = Body{}};

/// Allocates transfers in blocks that never move: a reference is valid until the release. Numbers
/// are reused, and no memory is allocated once there are enough transfers.
class TransferPool {
public:
    template <class Body>
    [[nodiscard]] Transfer& take() {
        return copy(kNewTransfer<Body>);
    }
    /// Allocates a transfer that equals `from` but for its number.
    [[nodiscard]] Transfer& copy(const Transfer& from) {
        if (free_.empty()) {
            return add(from);
        }
        Transfer& taken = *free_.back();
        free_.pop_back();
        const TransferId id = taken.id;
        taken = from;
        taken.id = id;
        return taken;
    }
    void release(Transfer& transfer) { free_.push_back(&transfer); }
    [[nodiscard]] Transfer& operator[](TransferId id) noexcept {
        return begins_[index_of(id) / kBlock][index_of(id) % kBlock];
    }
    [[nodiscard]] const Transfer& operator[](TransferId id) const noexcept {
        return begins_[index_of(id) / kBlock][index_of(id) % kBlock];
    }

private:
    static constexpr std::uint32_t kBlock = 64;

    Transfer& add(const Transfer& from) {
        if (blocks_.empty() || blocks_.back().size() == kBlock) {
            blocks_.emplace_back().reserve(kBlock);
            begins_.push_back(blocks_.back().data());
        }
        const auto before = static_cast<std::uint32_t>(blocks_.size() - 1) * kBlock;
        Transfer& added = blocks_.back().emplace_back(from);
        added.id = TransferId{before + static_cast<std::uint32_t>(blocks_.back().size()) - 1};
        return added;
    }

    std::vector<std::vector<Transfer>> blocks_;  ///< none grows beyond kBlock, so none moves
    std::vector<Transfer*> begins_;              ///< by block; shorter to index than `blocks_`
    std::vector<Transfer*> free_;
};

/// Queue of transfers, first in, first out, linked through Transfer::next_in_fifo.
struct TransferFifo {
    TransferId first = kNoTransfer;
    TransferId last = kNoTransfer;

    [[nodiscard]] bool is_empty() const noexcept { return first == kNoTransfer; }
    void append(Transfer& transfer, TransferPool& transfers) noexcept {
        transfer.next_in_fifo = kNoTransfer;
        (is_empty() ? first : transfers[last].next_in_fifo) = transfer.id;
        last = transfer.id;
    }
    /// Precondition   not empty.
    Transfer& remove_first(TransferPool& transfers) noexcept {
        Transfer& removed = transfers[first];
        first = removed.next_in_fifo;
        return removed;
    }
};

/// Schedules the event of a transfer, which then is in `stage`.
inline void schedule(Transfer& transfer, TransferStage stage, Millicycles time, EventQueue& queue) {
    transfer.stage = stage;
    push_stage(queue, time, transfer.id);
}

}  // namespace tessera::timing
