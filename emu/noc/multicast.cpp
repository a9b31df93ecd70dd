// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/multicast.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/ordering.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "emu/noc/transfer.hpp"

namespace tessera {
namespace {

struct Rectangle {
    CoreCoord start;
    CoreCoord end;
};

constexpr CoreCoord coord_at(std::uint64_t address, unsigned shift) {
    return {static_cast<std::uint32_t>(address >> shift) & 63U,
            static_cast<std::uint32_t>(address >> (shift + 6)) & 63U};
}

// On NoC 1, which runs the other way, the corners come swapped. Any other order names a rectangle
// that wraps around the torus.
Rectangle rectangle_of(std::uint64_t address, std::uint32_t noc, const char* call, CallSite site) {
    Rectangle r{coord_at(address, 48), coord_at(address, 36)};
    if (noc == 1) {
        std::swap(r.start, r.end);
    }
    if (r.start.x > r.end.x || r.start.y > r.end.y) {
        fault(FaultCategory::Unsupported, site,
              "{}: rectangle {} to {} on NoC {} wraps around the torus; on NoC 0 start ≤ end, on "
              "NoC 1 start ≥ end",
              call, to_string(coord_at(address, 48)), to_string(coord_at(address, 36)), noc);
    }
    return r;
}

std::uint32_t local_of(std::uint64_t destination) {
    return static_cast<std::uint32_t>(noc_local(destination));
}

// The smallest logical rectangle that holds the workers of the NoC's, the sender included. Logical,
// as all places of a trace: which rows are harvested differs by board.
std::uint64_t multicast_argument(const KernelThread& thread, std::uint32_t noc,
                                 std::uint64_t destination, std::uint32_t address) {
    if (!thread.recorder) {
        return 0;
    }
    const Rectangle r = rectangle_of(destination, noc, "", {});
    MulticastArgument argument{{0xFF, 0xFF}, {0, 0}, address};
    for (std::uint32_t y = r.start.y; y <= r.end.y; ++y) {
        for (std::uint32_t x = r.start.x; x <= r.end.x; ++x) {
            const NocNode& node = thread.core().device().node({x, y});
            if (node.kind == NocNodeKind::Worker) {
                const CoreCoord core = node.core->logical();
                argument.start = {std::min(argument.start.x, core.x),
                                  std::min(argument.start.y, core.y)};
                argument.end = {std::max(argument.end.x, core.x), std::max(argument.end.y, core.y)};
            }
        }
    }
    return argument.pack();
}

std::uint8_t detail_of(const KernelThread& thread, std::uint32_t noc, MulticastStyle style) {
    const bool has_id = thread.noc[noc].write_transaction_id != 0;
    return static_cast<std::uint8_t>(
        noc | (style.linked ? TransferDetail::kLinked : 0) |
        (style.posted ? TransferDetail::kPosted : 0) |
        (style.loopback == Loopback::IncludeSender ? TransferDetail::kLoopback : 0) |
        (has_id ? TransferDetail::kHasId : 0));
}

// A path that is kept for the next multicast has to be given up by one: where none follows, the
// chip's routers stay taken, and the next program hangs.
void note_link(NocPort& port, MulticastStyle style, CallSite site) {
    port.linked = style.linked ? site : CallSite{};
}

void record_write(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                  std::uint64_t destination, std::uint32_t size, MulticastStyle style,
                  Core& receiver, CallSite site) {
    if (!thread.recorder) {
        return;
    }
    const std::uint32_t address = local_of(destination);
    const std::uint8_t detail = detail_of(thread, noc, style);
    if (is_flag({.core = &receiver, .address = address, .place = {}}, size)) {
        std::uint32_t value = 0;
        std::memcpy(&value, thread.core().l1(source), std::min(size, 4U));
        thread.recorder->append(EventKind::MulticastWord, detail, value,
                                multicast_argument(thread, noc, destination, address), site);
        return;
    }
    const std::uint32_t id = thread.noc[noc].write_transaction_id;
    thread.recorder->append(EventKind::NocMulticast, detail, size,
                            multicast_argument(thread, noc, destination, id), site);
}

/// Worker cores of a rectangle.
struct Workers {
    std::vector<Core*> receivers;  ///< row by row
    bool has_any = false;          ///< the sender counts
};

// A rectangle may include columns of DRAM and harvested rows. Only Tensix tiles receive
// multicasts (tt-isa-documentation, WormholeB0/NoC/README.md).
Workers workers_in(KernelThread& thread, const Rectangle& r, Loopback loopback) {
    Workers workers;
    for (std::uint32_t y = r.start.y; y <= r.end.y; ++y) {
        for (std::uint32_t x = r.start.x; x <= r.end.x; ++x) {
            const NocNode& node = thread.core().device().node({x, y});
            workers.has_any = workers.has_any || node.kind == NocNodeKind::Worker;
            const bool is_left_out =
                node.core == &thread.core() && loopback == Loopback::ExcludeSender;
            if (node.kind == NocNodeKind::Worker && !is_left_out) {
                workers.receivers.push_back(node.core);
            }
        }
    }
    return workers;
}

}  // namespace

std::vector<Core*> receivers_of(KernelThread& thread, std::uint32_t noc, std::uint64_t address,
                                std::uint32_t num_dests, Loopback loopback, const char* call,
                                CallSite site) {
    thread.last_call = site;
    require_noc(thread, call, site);
    const Rectangle r = rectangle_of(address, noc, call, site);
    Workers workers = workers_in(thread, r, loopback);
    // The chip waits for `num_dests` acknowledgements: a wrong number hangs its next barrier, far
    // from the mistake.
    if (num_dests == 0 || num_dests != workers.receivers.size()) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: num_dests is {}, but rectangle {} to {} holds {} receivers{}", call, num_dests,
              to_string(r.start), to_string(r.end), workers.receivers.size(),
              !workers.has_any
                  ? fmt::format("; corners are virtual coordinates, as get_noc_addr takes them: {} "
                                "of logical core (0,0)",
                                to_string(thread.core().device().core({0, 0}).virtual_coord()))
              : loopback == Loopback::ExcludeSender ? " (the sender is not one)"
                                                    : " (the sender included)");
    }
    return std::move(workers.receivers);
}

std::uint32_t count_receivers(KernelThread& thread, std::uint32_t noc, std::uint64_t address,
                              Loopback loopback, const char* call, CallSite site) {
    return static_cast<std::uint32_t>(
        workers_in(thread, rectangle_of(address, noc, call, site), loopback).receivers.size());
}

void multicast_write(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                     std::uint64_t destination, std::uint32_t size, std::uint32_t num_dests,
                     MulticastStyle style, const char* call, CallSite site) {
    check_local(thread, source, size, call, site);
    check_is_filled(thread, source, size, call, site);
    const std::uint32_t address = local_of(destination);
    const std::uint64_t alignment = thread.core().arch().l1.alignment.value;
    // As of unicast writes, tested once: all receivers have the same address.
    if (address % alignment != source % alignment) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: destination {:#x} and source {:#x} differ modulo {}, the alignment of L1", call,
              address, source, alignment);
    }
    const auto receivers =
        receivers_of(thread, noc, destination, num_dests, style.loopback, call, site);
    check_firmware(thread, address, size, call, site);
    // One event for all receivers, though each has a transfer in flight: a trace holds the call.
    record_write(thread, noc, source, destination, size, style, *receivers.front(), site);
    NocPort& port = thread.noc[noc];
    port.write_state.is_valid = false;
    note_link(port, style, site);
    for (Core* core : receivers) {
        const Endpoint to = resolve(
            core->device(), make_noc_address(core->virtual_coord(), address), size, call, site);
        thread.activity.bytes_written += size;
        enter(thread, port,
              {.kind = TransferKind::Write,
               .posted = style.posted,
               .transaction_id = port.write_transaction_id,
               .local_address = source,
               .size = size,
               .source = thread.core().l1(source),
               .destination = to.bytes,
               .written_core = core,
               .written_address = address,
               .flushed_copy = nullptr,
               .site = site});
    }
}

void multicast_word(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                    std::uint64_t destination, std::uint32_t num_dests, MulticastStyle style,
                    const char* call, CallSite site) {
    check_local(thread, source, 4, call, site);
    const std::uint32_t value = load_local_word(thread, source);
    const std::uint32_t address = local_of(destination);
    const auto receivers =
        receivers_of(thread, noc, destination, num_dests, style.loopback, call, site);
    record_act(thread, EventKind::MulticastWord, detail_of(thread, noc, style), value,
               multicast_argument(thread, noc, destination, address), site);
    note_link(thread.noc[noc], style, site);
    // At once, not in flight: a flag follows the data before it, which write_received delivers.
    for (Core* core : receivers) {
        write_received(thread, noc, *core, address, value, call, site);
    }
}

void multicast_increment(KernelThread& thread, std::uint32_t noc, std::uint64_t destination,
                         std::uint32_t increment, std::uint32_t num_dests, const char* call,
                         CallSite site) {
    const std::uint32_t address = local_of(destination);
    const auto receivers =
        receivers_of(thread, noc, destination, num_dests, Loopback::ExcludeSender, call, site);
    note_link(thread.noc[noc], {}, site);
    thread.noc[noc].note_atomic(site);
    record_act(thread, EventKind::MulticastAdd, detail_of(thread, noc, {}), increment,
               multicast_argument(thread, noc, destination, address), site);
    for (Core* core : receivers) {
        increment_received(thread, noc, *core, address, increment, call, site);
    }
}

}  // namespace tessera
