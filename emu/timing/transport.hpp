// SPDX-License-Identifier: Apache-2.0
// Times of transfers over the NoCs of each device, DRAM banks and channels, and mesh links. The
// engine starts a transfer when a thread issues it. The transport schedules the transfer's stages
// in the engine's queue and returns the milestone that each stage has reached.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/ids.hpp"
#include "emu/timing/replay.hpp"

namespace tessera::timing {

/// Kind of a transfer.
enum class RequestKind : std::uint8_t {
    Read,           ///< from `place` into own L1
    Write,          ///< from own L1 to `place`
    Multicast,      ///< from own L1 to each worker of a rectangle
    Word,           ///< 4 bytes to `place`
    MulticastWord,  ///< 4 bytes to each worker of a rectangle
    Atomic,         ///< 4 bytes to `place`, with a read-modify-write there
    Fabric,         ///< packet from own L1 to another device
};

/// Transfer as a thread issues it. Comments name the kinds that use a member.
struct Request {
    RequestKind kind{};
    std::uint16_t device = 0;
    CoreCoord core;  ///< logical core that issues it
    std::uint8_t noc = 0;
    bool is_posted = false;
    bool is_linked = false;
    bool includes_sender = false;
    NocPlace place;        ///< Read, Write, Word, Atomic; Fabric: place at the far device
    CoreCoord rect_start;  ///< multicasts: first corner, logical; both corners are included
    CoreCoord rect_end;
    std::uint32_t bytes = 0;
    std::uint16_t far_device = 0;     ///< Fabric: destination
    std::uint8_t channel = 0;         ///< Fabric: sender channel = direction + 4 * link
    std::uint8_t hops = 0;            ///< Fabric: links of the first leg
    bool is_fused = false;            ///< Fabric: adds to a word after its payload
    bool flushes = false;             ///< Fabric: adds after the payload is acknowledged
    bool is_multicast = false;        ///< Fabric: delivered at devices on its way as well
    std::uint8_t multicast_from = 0;  ///< Fabric: hops to the first of these devices
    std::uint8_t more_parts = 0;      ///< Fabric: parts of the payload that land elsewhere
    bool is_mesh_route = false;       ///< Fabric: has the header of a 2D fabric
    std::uint8_t east = 0;            ///< Fabric: delivered at so many devices to the east of
    std::uint8_t west = 0;            ///< each device of the first leg as well, and to the west
};

/// Place of a transfer at the end of a stage.
enum class Milestone : std::uint8_t {
    None,
    PacketSent,    ///< writes: a packet other than the last has left the source
    Departed,      ///< writes and packets: the last byte has left; the source may be reused
    Delivered,     ///< bytes (or the word) are in place at every receiver; reads: in own L1
    Acknowledged,  ///< non-posted writes and atomics: the issuer has the acknowledgement
    SlotFreed,     ///< packets: the first link has taken it from its sender's buffer
    Passed,        ///< packets: in place at a device on the way, which forwards it
};

/// Time of a transfer by resource kind, from its issue to its last milestone so far.
using Transit = std::array<Millicycles, kNumResourceKinds>;

/// Outcome of a stage.
struct StageResult {
    Milestone milestone = Milestone::None;
    bool is_last = false;      ///< the transfer's number may be reused
    std::uint16_t device = 0;  ///< Passed: device on the way
    TransferId started{};  ///< Passed: the transfer that was started, even if a branch of it passed
};

/// Schedules the event of a transfer.
inline void push_stage(EventQueue& queue, Millicycles time, TransferId transfer) {
    queue.push(time, QueueEvent::TransferStage, index_of(transfer));
}

/// Consecutive devices of a mesh.
struct DeviceRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// A core's NIU on one NoC.
struct Niu {
    std::uint32_t device = 0;
    CoreCoord core;  ///< logical
    std::uint8_t noc = 0;
};

/// Network of consecutive devices.
class Transport {
public:
    /// Precondition   `devices` are all devices of the mesh if a transfer uses a mesh link.
    Transport(const Machine& machine, DeviceRange devices);
    ~Transport();
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// Starts a transfer at `now`, when the RISC has issued it, and schedules its first stage.
    /// Precondition   takes_read() or takes_write(), if the kind has one.
    TransferId start(const Request& request, Millicycles now, EventQueue& queue);
    /// Returns whether an NIU accepts a command that reads so many packets. It holds one read while
    /// it sends other commands (source: as end_command, network/commands.cpp). At most
    /// `noc.outstanding_reads` packets may be under way; a longer read is accepted if there is no
    /// other.
    [[nodiscard]] bool takes_read(Niu niu, std::uint32_t packets) const noexcept;
    /// Returns whether an NIU accepts a command with an acknowledgement, a write or an atomic. At
    /// most `noc.outstanding_writes` of them may be under way.
    [[nodiscard]] bool takes_write(Niu niu) const noexcept;
    /// Runs the stage of a transfer that is due.
    StageResult advance(TransferId transfer, Millicycles now, EventQueue& queue);
    /// Returns the time of a transfer by resource kind; the times add up to `now − start`.
    [[nodiscard]] const Transit& transit(TransferId transfer) const noexcept;
    /// Returns the resources that were used, sorted by (kind, device, noc, node, direction).
    [[nodiscard]] std::vector<ResourceUse> uses() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tessera::timing
