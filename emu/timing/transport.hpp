// SPDX-License-Identifier: Apache-2.0
// Times everything that moves bytes: the NoCs of each device, DRAM banks and channels, mesh links.
// The engine hands a request over when a thread issues it; the transport schedules its stages in
// the engine's queue and says what each stage completed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/ids.hpp"
#include "emu/timing/replay.hpp"

namespace tessera::timing {

enum class RequestKind : std::uint8_t {
    Read,       ///< from `place` into own L1
    Write,      ///< from own L1 to `place`
    Multicast,  ///< from own L1 to each worker of a rectangle
    Word,       ///< 4 bytes to `place`
    MulticastWord,
    Atomic,  ///< as Word, with a read-modify-write at the far end
    Fabric,  ///< packet from own L1 to another device
};

struct Request {
    RequestKind kind{};
    std::uint16_t device = 0;
    CoreCoord core;  ///< logical, who issues
    std::uint8_t noc = 0;
    bool is_posted = false;
    bool is_linked = false;
    bool includes_sender = false;
    NocPlace place;        ///< Read, Write, Word, Atomic; Fabric: place at the far device
    CoreCoord rect_start;  ///< logical; multicasts
    CoreCoord rect_end;
    std::uint32_t bytes = 0;
    std::uint16_t far_device = 0;     ///< Fabric
    std::uint8_t channel = 0;         ///< Fabric: sender channel = direction + 4 * link
    std::uint8_t hops = 0;            ///< Fabric
    bool is_fused = false;            ///< Fabric: adds to a word behind its payload
    bool flushes = false;             ///< Fabric: adds once what was written is acknowledged
    bool is_multicast = false;        ///< Fabric: delivered at devices on the way, from
    std::uint8_t multicast_from = 0;  ///< so many hops on
    std::uint8_t more_parts = 0;      ///< Fabric: parts of the payload that land elsewhere
    bool is_mesh_route = false;       ///< Fabric: its header is that of two dimensions
    std::uint8_t east = 0;            ///< Fabric: delivered at so many devices east of each
    std::uint8_t west = 0;            ///< of the first leg as well, and west
};

/// What a transfer has reached when a stage is done.
enum class Milestone : std::uint8_t {
    None,
    PacketSent,    ///< writes: a packet that is not their last has left the source
    Departed,      ///< writes and packets: the last byte has left the source; it may be reused
    Delivered,     ///< bytes (or the word) are in place at every receiver; reads: in own L1
    Acknowledged,  ///< non-posted writes and atomics: the issuer knows
    SlotFreed,     ///< packets: the first link has taken it from its sender's buffer
    Passed,        ///< packets: in place at a device on the way, which passes it on
};

/// Accounts the time of a transfer, from its issue to its last milestone so far, by resource kind.
using Transit = std::array<Millicycles, kNumResourceKinds>;

/// Outcome of a stage.
struct StageResult {
    Milestone milestone = Milestone::None;
    bool is_last = false;      ///< the transfer's number may be reused
    std::uint16_t device = 0;  ///< Passed: where
    TransferId started{};  ///< Passed: the transfer that was started, even if a branch of it passed
};

/// Schedules the next stage of a transfer.
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

class Transport {
public:
    /// Precondition   `devices` are all of the mesh if something goes over its links.
    Transport(const Machine& machine, DeviceRange devices);
    ~Transport();
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// Starts a transfer at `now`, the end of its issue by the RISC, and schedules its first stage.
    /// Returns its number. Precondition   its NIU takes it.
    TransferId start(const Request& request, Millicycles now, EventQueue& queue);
    /// Returns whether an NIU takes a command to read so many packets. It keeps one while it sends
    /// something else (source: as end_command, network/commands.cpp), and `noc.outstanding_reads`
    /// packets may be under way; a read of more goes when it is alone, or it would never.
    [[nodiscard]] bool takes_read(Niu niu, std::uint32_t packets) const noexcept;
    /// Returns whether an NIU takes a command that is to be acknowledged, a write or an atomic:
    /// `noc.outstanding_writes` of them may be under way.
    [[nodiscard]] bool takes_write(Niu niu) const noexcept;
    /// Runs the stage that is due.
    StageResult advance(TransferId transfer, Millicycles now, EventQueue& queue);
    /// Returns the account of a transfer's time; it adds up to `now − start`.
    [[nodiscard]] const Transit& transit(TransferId transfer) const noexcept;
    /// Returns the resources that were used, sorted by (kind, device, noc, node, direction).
    [[nodiscard]] std::vector<ResourceUse> uses() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tessera::timing
