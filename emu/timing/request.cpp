// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/request.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {
namespace {

constexpr std::uint32_t kWordBytes = 4;

// The trace may come from another device (tessera retime). Each place is checked at its first use,
// so that the message can name it.
void require_core(CoreCoord core, const Machine& machine) {
    const GridSize grid = machine.arch.workers.compute;
    require(core.x < grid.columns && core.y < grid.rows,
            "trace: there is no core ({},{}), {} has {} × {} cores", core.x, core.y,
            machine.arch.name, grid.columns, grid.rows);
}

void require_place(NocPlace place, const Machine& machine) {
    if (!place.is_dram()) {
        return require_core(place.core(), machine);
    }
    require(place.bank() < machine.arch.dram.num_banks,
            "trace: there is no DRAM bank {}, {} has {}", place.bank(), machine.arch.name,
            machine.arch.dram.num_banks);
}

RequestKind kind_of(EventKind kind) {
    switch (kind) {
        case EventKind::NocRead:
            return RequestKind::Read;
        case EventKind::NocWrite:
            return RequestKind::Write;
        case EventKind::NocMulticast:
            return RequestKind::Multicast;
        case EventKind::SemaphoreAdd:
            return RequestKind::Atomic;
        case EventKind::WordWrite:
            return RequestKind::Word;
        case EventKind::FabricPacket:
            return RequestKind::Fabric;
        default:
            return RequestKind::MulticastWord;
    }
}

void fill_unicast(Request& request, const TraceEvent& event, const Machine& machine) {
    if (changes_words(event.kind)) {
        request.place = WordArgument::unpack(event.argument).place;
        request.bytes = kWordBytes;
    } else {
        const auto argument = TransferArgument::unpack(event.argument);
        request.place = argument.place;
        request.bytes = argument.bytes;
    }
    require_place(request.place, machine);
}

void fill_multicast(Request& request, const TraceEvent& event, const Machine& machine) {
    const auto argument = MulticastArgument::unpack(event.argument);
    // On NoC 1 the corners of the rectangle are swapped; the set of receivers is the same.
    request.rect_start = {std::min(argument.start.x, argument.end.x),
                          std::min(argument.start.y, argument.end.y)};
    request.rect_end = {std::max(argument.start.x, argument.end.x),
                        std::max(argument.start.y, argument.end.y)};
    request.bytes = event.kind == EventKind::NocMulticast ? event.count : kWordBytes;
    require_core(request.rect_end, machine);
}

// The trace may be replayed on a machine that has fewer links; it has no time there.
void require_link(const Request& request, const Machine& machine) {
    constexpr auto kDirections = static_cast<std::uint32_t>(kLinkDirections.size());
    const std::uint32_t link = request.channel / kDirections;
    const std::uint32_t links = machine.timing.link.links_per_direction;
    require(link < links,
            "device {} core ({},{}) sends over link {} to the {}; the machine has {} in each "
            "direction (link.links_per_direction)",
            request.device, request.core.x, request.core.y, link,
            name_of(kLinkDirections[request.channel % kDirections]), links);
}

void fill_packet(Request& request, const TraceEvent& event, const Machine& machine) {
    const auto argument = FabricArgument::unpack(event.argument);
    const std::uint32_t num_devices = machine.mesh.shape.num_devices();
    require(argument.device < num_devices, "trace: there is no device {}, the mesh has {}",
            argument.device, num_devices);
    require_place(argument.place, machine);
    request.place = argument.place;
    request.far_device = argument.device;
    request.hops = argument.hops;
    request.channel = event.detail;
    require_link(request, machine);
    request.bytes = event.count;
    request.is_fused = argument.is_fused;
    request.flushes = argument.flushes;
    request.is_multicast = argument.is_multicast;
    request.multicast_from = argument.multicast_from;
    request.more_parts = argument.more_parts;
    request.is_mesh_route = argument.is_mesh_route;
    request.east = argument.east;
    request.west = argument.west;
}

}  // namespace

// A fabric packet belongs to the sender once the sender has taken it; no acknowledgement reaches
// the worker.
bool is_acknowledged(const TraceEvent& event) {
    return event.kind != EventKind::NocRead && event.kind != EventKind::FabricPacket &&
           !TransferDetail{event.detail}.has(TransferDetail::kPosted);
}

bool changes_words(EventKind kind) noexcept {
    return kind == EventKind::SemaphoreAdd || kind == EventKind::WordWrite ||
           kind == EventKind::MulticastWord || kind == EventKind::MulticastAdd;
}

// The NIU counts the write of a word as a write, but not an atomic: noc_async_atomic_barrier waits
// for noc_semaphore_inc, noc_async_write_barrier does not.
bool is_write(EventKind kind) noexcept {
    return kind == EventKind::NocWrite || kind == EventKind::NocMulticast ||
           kind == EventKind::WordWrite || kind == EventKind::MulticastWord;
}

Request to_request(const TraceEvent& event, const CoreTrace& core, const Machine& machine) {
    Request request;
    request.kind = kind_of(event.kind);
    request.device = core.device;
    request.core = core.core;
    if (event.kind == EventKind::FabricPacket) {
        fill_packet(request, event, machine);
        return request;
    }
    const TransferDetail detail{event.detail};
    request.noc = static_cast<std::uint8_t>(detail.noc());
    request.is_posted = detail.has(TransferDetail::kPosted);
    request.is_linked = detail.has(TransferDetail::kLinked);
    request.includes_sender = detail.has(TransferDetail::kLoopback);
    if (request.kind == RequestKind::Multicast || request.kind == RequestKind::MulticastWord) {
        fill_multicast(request, event, machine);
    } else {
        fill_unicast(request, event, machine);
    }
    return request;
}

// The argument of a data multicast has no address, because no thread waits on its bytes. Its
// transaction id takes that place.
std::uint8_t transaction_id(const TraceEvent& event) noexcept {
    return event.kind == EventKind::NocMulticast
               ? static_cast<std::uint8_t>(MulticastArgument::unpack(event.argument).address)
               : TransferArgument::unpack(event.argument).transaction_id;
}

std::uint32_t num_packets(const TraceEvent& event, const ArchSpec& arch) {
    if (changes_words(event.kind)) {
        return 1;
    }
    const std::uint64_t bytes = event.kind == EventKind::NocMulticast
                                    ? event.count
                                    : TransferArgument::unpack(event.argument).bytes;
    const std::uint64_t packet = arch.noc.max_packet.value;
    if (bytes <= packet) {
        return 1;
    }
    return static_cast<std::uint32_t>(div_up(bytes, packet));
}

}  // namespace tessera::timing
