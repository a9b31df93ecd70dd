// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/ordering.hpp"

#include <algorithm>

#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/transfer.hpp"

namespace tessera {
namespace {

// splitmix64: the choice depends on seed, thread and count alone, never on host timing.
std::uint64_t hash(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
}

std::uint64_t draw(const KernelThread& thread, const NocPort& port) {
    const CoreCoord core = thread.core().logical();
    const std::uint64_t place = (std::uint64_t{thread.activity.device} << 32U) |
                                (std::uint64_t{core.y} << 16U) | (std::uint64_t{core.x} << 4U) |
                                static_cast<std::uint64_t>(thread.processor());
    return hash(hash(thread.delivery_seed ^ place) + port.num_issued);
}

// Lets some of the oldest transfers take effect, in order. Legal at any moment: without a barrier a
// kernel knows nothing of its transfers.
void deliver_some(KernelThread& thread, NocPort& port) {
    const std::uint64_t count = draw(thread, port) % (port.in_flight.size() + 1);
    for (std::uint64_t i = 0; i < count; ++i) {
        deliver(port.in_flight[i]);
    }
}

bool is_own_write(const Transfer& transfer, const Core& core) {
    return transfer.written_core == &core;
}

/// Notes what the launch's mode says of a new transfer's bytes.
void note_mode(const KernelThread& thread, Transfer& transfer) {
    if (thread.bulk_data == BulkData::On || transfer.size <= kLargestSmallTransfer) {
        return;
    }
    const bool is_read = transfer.kind == TransferKind::Read;
    transfer.is_without_values = true;
    transfer.is_delivered =
        thread.bulk_data == BulkData::Off ||
        thread.core().device().dram.is_neglected(is_read ? transfer.source : transfer.destination);
}

}  // namespace

// Built in place: a move would load wide words over narrow pending stores (store-forwarding stall).
// perf annotate had 70 % of enter() at such loads.
void enter_read(KernelThread& thread, NocPort& port, const std::byte* source,
                std::uint32_t destination, std::uint32_t size, const CallSite& site) {
    Transfer& read = port.in_flight.emplace_back();
    read.transaction_id = port.read_transaction_id;
    read.local_address = destination;
    read.size = size;
    read.source = source;
    read.destination = thread.core().l1(destination);
    read.site = site;
    note_mode(thread, read);
    ++port.num_issued;
    ++port.num_reads_in_flight;
    // It stays in the list: the kernel knows of it only after a barrier, and is held to that.
    if (thread.delivery == NocDelivery::AtIssue) {
        deliver(read);
    } else if (thread.delivery == NocDelivery::Random) {
        deliver_some(thread, port);
    }
}

void enter(KernelThread& thread, NocPort& port, Transfer&& transfer) {
    ++port.num_issued;
    note_mode(thread, transfer);
    (transfer.kind == TransferKind::Read ? port.num_reads_in_flight : port.num_writes_in_flight)++;
    port.num_own_writes_in_flight += is_own_write(transfer, thread.core()) ? 1 : 0;
    thread.rounds_per_poll = 0;  // it has sent something
    port.in_flight.push_back(std::move(transfer));
    if (thread.delivery == NocDelivery::AtIssue) {
        deliver(port.in_flight.back());
    } else if (thread.delivery == NocDelivery::Random) {
        deliver_some(thread, port);
    }
}

// Writes and atomics of one core use one static virtual channel (tt-metal, NOC_UNICAST_WRITE_VC),
// so an increment cannot overtake the data it announces, to one destination on one NoC. That order
// is all that semaphores rest on, hence it is kept in every delivery mode.
void deliver_writes_to(NocPort& port, const Core* core) {
    if (port.num_writes_in_flight == 0) {
        return;
    }
    for (Transfer& transfer : port.in_flight) {
        if (transfer.kind == TransferKind::Write && transfer.written_core == core) {
            transfer.is_announced = true;
            deliver(transfer);
        }
    }
}

void note_semaphore_wait(KernelThread& thread) {
    for (NocPort& port : thread.noc) {
        if (port.num_own_writes_in_flight == 0) {
            continue;
        }
        for (Transfer& transfer : port.in_flight) {
            transfer.is_awaited = transfer.is_announced;
        }
    }
}

void deliver_writes_over(NocPort& port, std::uint8_t link) {
    for (Transfer& transfer : port.in_flight) {
        if (transfer.link == link) {
            deliver(transfer);
        }
    }
}

// At one NIU and on one virtual channel a read waits for the writes before it
// (WormholeB0/DRAMTile/README.md, Ordering): the thread reads back what it has written.
void deliver_earlier_writes(NocPort& port, const Transfer& read) {
    for (Transfer& write : port.in_flight) {
        if (&write == &read) {
            return;
        }
        const bool is_overlapping = write.destination < read.source + read.size &&
                                    read.source < write.destination + write.size;
        if (write.kind == TransferKind::Write && is_overlapping) {
            deliver(write);
        }
    }
}

void recount(NocPort& port, const Core& core) {
    const auto reads = std::ranges::count(port.in_flight, TransferKind::Read, &Transfer::kind);
    port.num_reads_in_flight = static_cast<std::uint32_t>(reads);
    port.num_writes_in_flight =
        static_cast<std::uint32_t>(port.in_flight.size()) - port.num_reads_in_flight;
    port.num_own_writes_in_flight = static_cast<std::uint32_t>(std::ranges::count_if(
        port.in_flight, [&](const Transfer& transfer) { return is_own_write(transfer, core); }));
}

}  // namespace tessera
