// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/stride_prefetcher.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/ordering.hpp"

namespace tessera {
namespace {

// The NoC moves flits: both ends need the same offset in a flit, or bytes are shifted.
// Addresses may agree modulo the alignment of L1 and not of DRAM: the vendor's allocator gives L1
// such addresses. Public reports contradict each other on reads (docs/emulation.md), so that this
// is noted and not refused.
// Source   tt-metal, NOC_L1_READ_ALIGNMENT_BYTES and its kin in noc_parameters.h.
void check_alignment(KernelThread& thread, std::uint64_t remote, std::uint32_t local,
                     std::uint64_t alignment, const char* call, const CallSite& site) {
    const std::uint64_t distance = remote > local ? remote - local : local - remote;
    if (distance % alignment == 0) [[likely]] {
        return;
    }
    constexpr const char* kDiffer =
        "{}: remote address {:#x} and local address {:#x} differ modulo {}, the alignment of this "
        "transfer";
    if (distance % thread.core().arch().l1.alignment.value != 0) {
        fault(FaultCategory::UndefinedBehavior, site, kDiffer, call, remote, local, alignment);
    }
    tolerate(thread, Tolerated::NocAlignment, FaultCategory::UndefinedBehavior, site, call, kDiffer,
             call, remote, local, alignment);
}

void check_limit(const KernelThread& thread, std::uint32_t size, TransferLimit limit,
                 const char* call, CallSite site) {
    const std::uint64_t largest = thread.core().arch().noc.max_packet.value;
    if (limit == TransferLimit::OnePacket && size > largest) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: {} bytes exceed one packet, which holds {}", call, size, largest);
    }
}

bool matches(const Transfer& transfer, TransferKind kind, std::optional<std::uint32_t> id) {
    return transfer.kind == kind && (!id || transfer.transaction_id == *id);
}

void complete(const KernelThread& thread, NocPort& port, TransferKind kind,
              std::optional<std::uint32_t> id) {
    // Noted here: a barrier is where a loop's reads stand together, and where maths comes next.
    if (kind == TransferKind::Read) {
        StridePrefetcher::of_this_thread().note(port);
    }
    // Late delivery shows a missing barrier: until here, neither the reader's L1 nor a write's
    // destination has changed.
    for (Transfer& transfer : port.in_flight) {
        if (matches(transfer, kind, id)) {
            if (kind == TransferKind::Read && port.num_writes_in_flight != 0) {
                deliver_earlier_writes(port, transfer);
            }
            deliver(transfer);
        }
    }
    const std::uint32_t others =
        kind == TransferKind::Read ? port.num_writes_in_flight : port.num_reads_in_flight;
    // Most barriers find transfers of one kind only: the list is emptied, not searched.
    if (others == 0 && !id) {
        port.in_flight.clear();
        port.num_reads_in_flight = 0;
        port.num_writes_in_flight = 0;
        port.num_own_writes_in_flight = 0;
        return;
    }
    std::erase_if(port.in_flight,
                  [&](const Transfer& transfer) { return matches(transfer, kind, id); });
    recount(port, thread.core());
}

std::uint8_t detail_of(KernelThread& thread, std::uint32_t noc, const TransferStyle& style,
                       std::uint8_t transaction_id) {
    const auto bit = [](bool is_set, std::uint8_t value) { return is_set ? value : 0; };
    return static_cast<std::uint8_t>(
        noc | bit(style.posted, TransferDetail::kPosted) |
        bit(style.with_state, TransferDetail::kWithState) |
        bit(style.limit == TransferLimit::OnePacket, TransferDetail::kOnePacket) |
        bit(transaction_id != 0, TransferDetail::kHasId) |
        // Working out a page's address takes 11 to 18 cycles of the RISC, spent by the accessor
        // before this call: the event that it is priced with is the transfer's.
        bit(std::exchange(thread.has_page_address, false), TransferDetail::kPage));
}

void record_write(KernelThread& thread, std::uint8_t detail, const Endpoint& to,
                  std::uint32_t source, std::uint32_t size, CallSite site) {
    if (!thread.recorder) {
        return;
    }
    // A replay needs the value that a waiter tests; of all other writes the bytes do not matter.
    if (is_flag(to, size)) {
        std::uint32_t value = 0;
        std::memcpy(&value, thread.core().l1(source), std::min(size, 4U));
        const auto device = static_cast<std::uint16_t>(thread.activity.device);
        thread.recorder->append(
            EventKind::WordWrite, detail, value,
            WordArgument{static_cast<std::uint32_t>(to.address), to.place, device}.pack(), site);
        return;
    }
    const std::uint8_t id = thread.noc[detail & TransferDetail::kNoc].write_transaction_id;
    thread.recorder->run(EventKind::NocWrite, detail, TransferArgument{size, to.place, id}.pack(),
                         site);
}

/// Returns a copy of the source of a flushed write. An empty one marks a write that has taken
/// effect.
std::shared_ptr<const std::byte[]> copy_of_source(const Transfer& write) {
    static const std::array<std::byte, 4096> zeros{};  // a tile of floats
    const std::size_t size = write.is_delivered ? 0 : write.size;
    if (write.is_without_values && size <= zeros.size() &&
        std::memcmp(write.source, zeros.data(), size) == 0) {
        return {std::shared_ptr<const std::byte[]>(), zeros.data()};  // owns nothing
    }
    auto copy = std::make_shared_for_overwrite<std::byte[]>(size);
    std::memcpy(copy.get(), write.source, size);
    return copy;
}

}  // namespace

// Not the reverse: that a write has left may be known from an answer of its receiver, and
// senders of blocks read the next one without a flush.
void check_is_filled(const KernelThread& thread, std::uint32_t source, std::uint32_t size,
                     const char* call, CallSite site) {
    if (!has_reads_in_flight(thread)) {
        return;
    }
    const Transfer* read = find_in_flight(thread.noc, TransferKind::Read, source, size);
    if (read != nullptr) {
        fault(
            FaultCategory::UndefinedBehavior, site,
            "{} sends bytes that a noc_async_read issued at {}:{} is still filling: {} is missing",
            call, read->site.file, read->site.line, settled_by(TransferKind::Read));
    }
}

void issue_read(KernelThread& thread, std::uint32_t noc, std::uint64_t source,
                std::uint32_t destination, std::uint32_t size, const TransferStyle& style,
                const CallSite& site) {
    thread.last_call = site;
    require_noc(thread, "noc_async_read", site);
    const Endpoint from = resolve(thread.core().device(), source, size, "noc_async_read", site);
    check_local(thread, destination, size, "noc_async_read", site);
    check_limit(thread, size, style.limit, "noc_async_read", site);
    check_firmware(thread, destination, size, "noc_async_read", site);
    const ArchSpec& arch = thread.core().arch();
    // On Wormhole DRAM wants 32 B for reads and 16 for writes, an L1 16 for both
    // (noc_parameters.h).
    const std::uint64_t alignment =
        from.core != nullptr ? arch.l1.alignment.value : arch.dram.read_alignment.value;
    check_alignment(thread, from.address, destination, alignment, "noc_async_read", site);
    NocPort& port = thread.noc[noc];
    // The latched command is in the registers that this call has just overwritten.
    port.read_state.is_valid = false;
    thread.activity.bytes_read += size;
    record_run(thread, EventKind::NocRead, detail_of(thread, noc, style, port.read_transaction_id),
               TransferArgument{size, from.place, port.read_transaction_id}.pack(), site);
    enter_read(thread, port, from.bytes, destination, size, site);
}

void issue_write(KernelThread& thread, std::uint32_t noc, std::uint32_t source,
                 std::uint64_t destination, std::uint32_t size, const TransferStyle& style,
                 const CallSite& site) {
    thread.last_call = site;
    require_noc(thread, "noc_async_write", site);
    const Endpoint to = resolve(thread.core().device(), destination, size, "noc_async_write", site);
    check_local(thread, source, size, "noc_async_write", site);
    check_limit(thread, size, style.limit, "noc_async_write", site);
    const ArchSpec& arch = thread.core().arch();
    const std::uint64_t alignment =
        to.core != nullptr ? arch.l1.alignment.value : arch.dram.write_alignment.value;
    check_alignment(thread, to.address, source, alignment, "noc_async_write", site);
    check_is_filled(thread, source, size, "noc_async_write", site);
    if (to.core != nullptr) {
        check_firmware(thread, to.address, size, "noc_async_write", site);
    }
    NocPort& port = thread.noc[noc];
    port.write_state.is_valid = false;
    thread.activity.bytes_written += size;
    record_write(thread, detail_of(thread, noc, style, port.write_transaction_id), to, source, size,
                 site);
    enter(thread, port,
          {.kind = TransferKind::Write,
           .posted = style.posted,
           .transaction_id = port.write_transaction_id,
           .local_address = source,
           .size = size,
           .source = thread.core().l1(source),
           .destination = to.bytes,
           .written_core = to.core,
           .written_address = static_cast<std::uint32_t>(to.address),
           .flushed_copy = nullptr,
           .site = site});
}

void complete_reads(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id) {
    if (thread.noc[noc].num_reads_in_flight != 0) {
        complete(thread, thread.noc[noc], TransferKind::Read, id);
    }
}

void complete_writes(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id) {
    if (thread.noc[noc].num_writes_in_flight != 0) {
        complete(thread, thread.noc[noc], TransferKind::Write, id);
    }
}

// After a flush the source may be reused, and the data has not arrived: only a copy gives both.
void flush_writes(KernelThread& thread, std::uint32_t noc, std::optional<std::uint32_t> id) {
    for (Transfer& transfer : thread.noc[noc].in_flight) {
        if (matches(transfer, TransferKind::Write, id) && transfer.flushed_copy == nullptr) {
            transfer.flushed_copy = copy_of_source(transfer);
        }
    }
}

std::uint32_t deliver_listed(KernelThread& thread, TransferKind kind) {
    std::uint32_t num_delivered = 0;
    for (NocPort& port : thread.noc) {
        for (Transfer& transfer : port.in_flight) {
            if (transfer.kind == kind && !transfer.is_delivered) {
                deliver(transfer);
                ++num_delivered;
            }
        }
    }
    return num_delivered;
}

std::uint32_t complete_all_writes(KernelThread& thread) {
    std::uint32_t num_completed = 0;
    for (std::uint32_t noc = 0; noc < thread.noc.size(); ++noc) {
        num_completed += thread.noc[noc].num_writes_in_flight;
        complete_writes(thread, noc, std::nullopt);
    }
    return num_completed;
}

void check_nothing_pending_at_end(KernelThread& thread) {
    if (thread.open_links != 0) {
        fault(FaultCategory::UndefinedBehavior, thread.last_link_opened,
              "the kernel ends with this fabric connection still open: close is missing");
    }
    for (const NocPort& port : thread.noc) {
        for (const Transfer& transfer : port.in_flight) {
            // A flushed write may be left behind: it arrives whether or not the kernel lives on.
            if (transfer.flushed_copy != nullptr) {
                continue;
            }
            const bool is_read = transfer.kind == TransferKind::Read;
            const char* call = is_read ? "noc_async_read" : "noc_async_write";
            tolerate(thread, Tolerated::InFlightAtEnd, FaultCategory::UndefinedBehavior,
                     transfer.site, call,
                     "the kernel ends with this {} still in flight: {} is missing", call,
                     settled_by(transfer.kind));
        }
        // Its answer would be counted for the kernel that comes next: tt-metal's watcher stops at
        // it.
        if (port.atomic.line != 0) {
            tolerate(
                thread, Tolerated::InFlightAtEnd, FaultCategory::UndefinedBehavior, port.atomic,
                "noc_semaphore_inc",
                "the kernel ends with this atomic still in flight: noc_async_atomic_barrier is "
                "missing");
        }
        if (port.linked.line != 0) {
            fault(FaultCategory::UndefinedBehavior, port.linked,
                  "the kernel ends with the path of this linked multicast kept: one without linked "
                  "has to follow on the same NoC");
        }
    }
    // Transfers in flight arrive, whether or not the kernel is still running.
    for (std::uint32_t noc = 0; noc < thread.noc.size(); ++noc) {
        complete_reads(thread, noc, std::nullopt);
    }
}

}  // namespace tessera
