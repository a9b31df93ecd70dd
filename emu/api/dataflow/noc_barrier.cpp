// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "emu/core/kernel_thread.hpp"
#include "emu/noc/transfer.hpp"
#include "tessera/kernel/dataflow/noc.hpp"

using tessera::CallSite;
using tessera::KernelThread;

namespace {

KernelThread& thread_at(CallSite site) {
    KernelThread& thread = tessera::current_thread();
    thread.last_call = site;
    return thread;
}

}  // namespace

void noc_async_read_barrier(std::uint8_t noc, CallSite site) {
    tessera::complete_reads(thread_at(site), noc, std::nullopt);
}

void noc_async_write_barrier(std::uint8_t noc, CallSite site) {
    tessera::complete_writes(thread_at(site), noc, std::nullopt);
}

void noc_async_writes_flushed(std::uint8_t noc, CallSite site) {
    tessera::flush_writes(thread_at(site), noc, std::nullopt);
}

void noc_async_posted_writes_flushed(std::uint8_t noc, CallSite site) {
    tessera::flush_writes(thread_at(site), noc, std::nullopt);
}

// Atomics take effect when issued, so their barrier has nothing left to wait for.
void noc_async_atomic_barrier(std::uint8_t /*noc*/, CallSite site) {
    thread_at(site);
}

void noc_async_full_barrier(std::uint8_t noc, CallSite site) {
    KernelThread& thread = thread_at(site);
    tessera::complete_writes(thread, noc, std::nullopt);
    tessera::complete_reads(thread, noc, std::nullopt);
}

void noc_async_read_barrier_with_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    tessera::complete_reads(thread_at(site), noc, trid);
}

void noc_async_write_barrier_with_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    tessera::complete_writes(thread_at(site), noc, trid);
}

void noc_async_write_flushed_with_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    tessera::flush_writes(thread_at(site), noc, trid);
}
