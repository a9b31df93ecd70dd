// SPDX-License-Identifier: Apache-2.0
// Latched commands and transaction ids.
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "emu/noc/transfer.hpp"
#include "tessera/kernel/dataflow/noc.hpp"

using tessera::CallSite;
using tessera::current_thread;
using tessera::KernelThread;
using tessera::LatchedCommand;
using tessera::TransferDetail;
using tessera::TransferLimit;

namespace {

const LatchedCommand& latched(const LatchedCommand& command, const char* call, CallSite site) {
    if (!command.is_valid) {
        tessera::fault(tessera::FaultCategory::UndefinedBehavior, site,
                       "{} without its set_state: none was given on this NoC, or another transfer "
                       "of the same kind has overwritten it",
                       call);
    }
    return command;
}

// The latched coordinate with a new local address.
std::uint64_t with_local(std::uint64_t latched_address, std::uint64_t local) {
    return (latched_address & ~((std::uint64_t{1} << NOC_ADDR_LOCAL_BITS) - 1)) | local;
}

void check_transaction_id(std::uint32_t trid, CallSite site) {
    const std::uint32_t count = current_thread().core().arch().noc.max_transaction_ids;
    if (trid >= count) {
        tessera::fault(tessera::FaultCategory::OutOfBounds, site,
                       "transaction id {} is not below {}", trid, count);
    }
}

void record_set_state(std::uint8_t noc, std::uint8_t detail, CallSite site) {
    record_run(current_thread(), tessera::EventKind::NocSetState,
               static_cast<std::uint8_t>(noc | detail), 0, site);
}

// A transfer with state leaves the state as it is, unlike a plain one.
void read_latched(KernelThread& thread, std::uint8_t noc, std::uint64_t source,
                  std::uint32_t destination, std::uint32_t size, TransferLimit limit,
                  CallSite site) {
    const LatchedCommand state = thread.noc[noc].read_state;
    tessera::issue_read(thread, noc, source, destination, size,
                        {.limit = limit, .with_state = true}, site);
    thread.noc[noc].read_state = state;
}

}  // namespace

void noc_async_read_one_packet_set_state(std::uint64_t src_noc_addr, std::uint32_t size,
                                         std::uint8_t noc, std::uint32_t /*vc*/, CallSite site) {
    record_set_state(noc, TransferDetail::kOnePacket, site);
    current_thread().noc[noc].read_state = {true, src_noc_addr, size, {}};
}

void noc_async_read_one_packet_with_state(std::uint32_t src_local_addr, std::uint32_t dst_l1_addr,
                                          std::uint8_t noc, std::uint32_t /*vc*/, CallSite site) {
    KernelThread& thread = current_thread();
    const LatchedCommand& state =
        latched(thread.noc[noc].read_state, "noc_async_read_one_packet_with_state", site);
    read_latched(thread, noc, with_local(state.noc_address, src_local_addr), dst_l1_addr,
                 state.size, TransferLimit::OnePacket, site);
}

void noc_async_read_set_state(std::uint64_t src_noc_addr, std::uint8_t noc, CallSite site) {
    record_set_state(noc, 0, site);
    current_thread().noc[noc].read_state = {true, src_noc_addr, 0, {}};
}

void noc_async_read_with_state(std::uint32_t src_local_addr, std::uint32_t dst_l1_addr,
                               std::uint32_t size, std::uint8_t noc, CallSite site) {
    KernelThread& thread = current_thread();
    const LatchedCommand& state =
        latched(thread.noc[noc].read_state, "noc_async_read_with_state", site);
    read_latched(thread, noc, with_local(state.noc_address, src_local_addr), dst_l1_addr, size,
                 TransferLimit::None, site);
}

void noc_async_write_one_packet_set_state(std::uint64_t dst_noc_addr, std::uint32_t size,
                                          std::uint8_t noc, std::uint8_t /*vc*/, CallSite site) {
    record_set_state(noc, TransferDetail::kOnePacket, site);
    current_thread().noc[noc].write_state = {true, dst_noc_addr, size, {}};
}

void noc_async_write_one_packet_with_state(std::uint32_t src_l1_addr, std::uint32_t dst_local_addr,
                                           std::uint8_t noc, CallSite site) {
    KernelThread& thread = current_thread();
    const LatchedCommand state =
        latched(thread.noc[noc].write_state, "noc_async_write_one_packet_with_state", site);
    tessera::issue_write(thread, noc, src_l1_addr, with_local(state.noc_address, dst_local_addr),
                         state.size, {.limit = TransferLimit::OnePacket, .with_state = true}, site);
    thread.noc[noc].write_state = state;
}

void noc_async_read_set_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    check_transaction_id(trid, site);
    current_thread().noc[noc].read_transaction_id = static_cast<std::uint8_t>(trid);
}

void noc_async_read_one_packet_with_state_with_trid(std::uint32_t src_base_addr,
                                                    std::uint32_t src_addr, std::uint32_t dst_addr,
                                                    std::uint32_t trid, std::uint8_t noc,
                                                    CallSite site) {
    noc_async_read_set_trid(trid, noc, site);
    noc_async_read_one_packet_with_state(src_base_addr + src_addr, dst_addr, noc, 0, site);
}

void noc_async_write_set_trid(std::uint32_t trid, std::uint8_t noc, CallSite site) {
    check_transaction_id(trid, site);
    current_thread().noc[noc].write_transaction_id = static_cast<std::uint8_t>(trid);
}

void noc_async_write_one_packet_with_trid(std::uint32_t src_l1_addr, std::uint64_t dst_noc_addr,
                                          std::uint32_t size, std::uint32_t trid,
                                          std::uint8_t /*cmd_buf*/, std::uint8_t noc,
                                          CallSite site) {
    noc_async_write_set_trid(trid, noc, site);
    tessera::issue_write(current_thread(), noc, src_l1_addr, dst_noc_addr, size,
                         {.limit = TransferLimit::OnePacket}, site);
}

void noc_async_write_one_packet_latched_with_trid(std::uint32_t src_l1_addr,
                                                  std::uint32_t dst_local_addr, std::uint32_t size,
                                                  std::uint32_t trid, std::uint8_t noc,
                                                  CallSite site) {
    noc_async_write_set_trid(trid, noc, site);
    KernelThread& thread = current_thread();
    const LatchedCommand state = latched(thread.noc[noc].write_state,
                                         "noc_async_write_one_packet_with_trid_with_state", site);
    tessera::issue_write(thread, noc, src_l1_addr, with_local(state.noc_address, dst_local_addr),
                         size, {.limit = TransferLimit::OnePacket, .with_state = true}, site);
    thread.noc[noc].write_state = state;
}

void noc_inline_dw_write_set_state(std::uint64_t addr, std::uint8_t be, std::uint8_t noc,
                                   std::uint8_t /*vc*/, CallSite site) {
    record_set_state(noc, 0, site);
    current_thread().noc[noc].inline_write_state = {true, addr, be, {}};
}

void noc_inline_dw_write_with_state(std::uint32_t val, std::uint32_t addr, std::uint8_t noc,
                                    CallSite site) {
    KernelThread& thread = current_thread();
    const LatchedCommand& state =
        latched(thread.noc[noc].inline_write_state, "noc_inline_dw_write_with_state", site);
    const std::uint64_t target =
        addr == 0 ? state.noc_address : with_local(state.noc_address, addr);
    tessera::write_word(thread, noc, target, val, static_cast<std::uint8_t>(state.size),
                        TransferDetail::kWithState, "noc_inline_dw_write_with_state", site);
}

namespace tessera::kernel {

void latch_inline_value(std::uint32_t value, std::uint8_t noc) {
    current_thread().noc[noc].inline_write_state.value = value;
}

void latch_inline_coordinate(std::uint32_t upper_word, std::uint8_t noc) {
    constexpr unsigned kWordBits = 32;
    std::uint64_t& address = current_thread().noc[noc].inline_write_state.noc_address;
    address = std::uint64_t{upper_word} << kWordBits | (address & 0xFFFFFFFFU);
}

std::uint32_t latched_inline_value(std::uint8_t noc, CallSite site) {
    const LatchedCommand& state = latched(current_thread().noc[noc].inline_write_state,
                                          "noc_inline_dw_write_with_state", site);
    if (!state.value) {
        fault(FaultCategory::UndefinedBehavior, site,
              "noc_inline_dw_write_with_state without a value, but "
              "noc_inline_dw_write_set_state<…, set_val = true> has latched none");
    }
    return *state.value;
}

}  // namespace tessera::kernel
