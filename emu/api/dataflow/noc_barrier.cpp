// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/transfer.hpp"
#include "tessera/kernel/dataflow/noc.hpp"

using tessera::BarrierDetail;
using tessera::CallSite;
using tessera::EventKind;
using tessera::KernelThread;

namespace {

using Id = std::optional<std::uint32_t>;

constexpr std::uint8_t detail_of(std::uint8_t noc, Id id) {
    return static_cast<std::uint8_t>(noc | (id ? BarrierDetail::kHasId | *id << 2U : 0));
}

// Recorded before it waits: the trace is in the order in which the thread calls.
KernelThread& thread_at(EventKind kind, std::uint8_t noc, Id id, CallSite site) {
    KernelThread& thread = tessera::current_thread();
    thread.last_call = site;
    tessera::require_noc(thread, "a barrier or flush of the NoC", site);
    record_run(thread, kind, detail_of(noc, id), 0, site);
    return thread;
}

void wait_for_reads(std::uint8_t noc, Id id, CallSite site) {
    complete_reads(thread_at(EventKind::ReadBarrier, noc, id, site), noc, id);
}

void wait_for_writes(std::uint8_t noc, Id id, CallSite site) {
    complete_writes(thread_at(EventKind::WriteBarrier, noc, id, site), noc, id);
}

void wait_for_flush(std::uint8_t noc, Id id, CallSite site) {
    flush_writes(thread_at(EventKind::WriteFlush, noc, id, site), noc, id);
}

}  // namespace

void noc_async_read_barrier(std::uint8_t noc, CallSite site) {
    wait_for_reads(noc, std::nullopt, site);
}

void noc_async_write_barrier(std::uint8_t noc, CallSite site) {
    wait_for_writes(noc, std::nullopt, site);
}

void noc_async_writes_flushed(std::uint8_t noc, CallSite site) {
    wait_for_flush(noc, std::nullopt, site);
}

void noc_async_posted_writes_flushed(std::uint8_t noc, CallSite site) {
    wait_for_flush(noc, std::nullopt, site);
}

// Atomics take effect when issued, so their barrier has nothing left to wait for: that the kernel
// has waited is all there is to note.
void noc_async_atomic_barrier(std::uint8_t noc, CallSite site) {
    thread_at(EventKind::AtomicBarrier, noc, std::nullopt, site).noc[noc].atomic = {};
}

void noc_async_full_barrier(std::uint8_t noc, CallSite site) {
    wait_for_writes(noc, std::nullopt, site);
    wait_for_reads(noc, std::nullopt, site);
    noc_async_atomic_barrier(noc, site);
}

void noc_async_read_barrier_with_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    wait_for_reads(noc, trid, site);
}

void noc_async_write_barrier_with_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    wait_for_writes(noc, trid, site);
}

void noc_async_write_flushed_with_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    wait_for_flush(noc, trid, site);
}
