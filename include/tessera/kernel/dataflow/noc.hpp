// SPDX-License-Identifier: Apache-2.0
// Asynchronous reads and writes over a NoC, and the barriers that make them safe.
// A transfer stays in flight until a barrier (a flush, for the source of a write).
#pragma once

#include "tessera/kernel/chip.hpp"
#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/types.hpp"

// A kernel that is compiled just in time has the largest packet of its device here
// (noc.max_packet). A built-in kernel runs on each device, so it has the smallest of these.
#ifndef NOC_MAX_BURST_SIZE
#define NOC_MAX_BURST_SIZE 8192
#endif
inline constexpr std::uint32_t NOC_UNICAST_WRITE_VC = 1;

namespace tessera::kernel {
enum class PacketRule : std::uint8_t { AnyLength, OnePacket };
enum class Posting : std::uint8_t { NonPosted, Posted };

void noc_read(std::uint64_t source, std::uint32_t destination, std::uint32_t size, std::uint8_t noc,
              PacketRule rule, const CallSite& site);
void noc_write(std::uint32_t source, std::uint64_t destination, std::uint32_t size,
               std::uint8_t noc, PacketRule rule, Posting posting, const CallSite& site);
void noc_inline_write(std::uint64_t destination, std::uint32_t value, std::uint8_t byte_enable,
                      std::uint8_t noc, CallSite site);
void latch_inline_value(std::uint32_t value, std::uint8_t noc);
void latch_inline_coordinate(std::uint32_t upper_word, std::uint8_t noc);
std::uint32_t latched_inline_value(std::uint8_t noc, CallSite site);
}  // namespace tessera::kernel

/// Reads `size` bytes at `src_noc_addr` into own L1.
/// Errors   OutOfBounds for an unmapped source or destination; UndefinedBehavior if source and
///          destination disagree modulo the alignment of the transfer (L1 16; DRAM 32 or 64).
template <std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true>
void noc_async_read(std::uint64_t src_noc_addr, std::uint32_t dst_local_l1_addr, std::uint32_t size,
                    std::uint8_t noc = noc_index, std::uint32_t /*read_req_vc*/ = 0,
                    tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::noc_read(src_noc_addr, dst_local_l1_addr, size, noc,
                              tessera::kernel::PacketRule::AnyLength, site);
}

/// Writes `size` bytes of own L1 to `dst_noc_addr`.
template <std::uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool enable_noc_tracing = true,
          bool posted = false>
void noc_async_write(std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr,
                     std::uint32_t size, std::uint8_t noc = noc_index, std::uint32_t /*vc*/ = 0,
                     tessera::CallSite site = tessera::CallSite::here()) {
    using tessera::kernel::Posting;
    tessera::kernel::noc_write(src_local_l1_addr, dst_noc_addr, size, noc,
                               tessera::kernel::PacketRule::AnyLength,
                               posted ? Posting::Posted : Posting::NonPosted, site);
}

/// Do the same for at most one packet.
/// Errors   UndefinedBehavior if `size` exceeds the largest packet.
template <bool enable_noc_tracing = true>
void noc_async_read_one_packet(std::uint64_t src_noc_addr, std::uint32_t dst_local_l1_addr,
                               std::uint32_t size, std::uint8_t noc = noc_index,
                               std::uint32_t /*vc*/ = 0,
                               tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::noc_read(src_noc_addr, dst_local_l1_addr, size, noc,
                              tessera::kernel::PacketRule::OnePacket, site);
}
template <bool enable_noc_tracing = true, bool posted = false>
void noc_async_write_one_packet(std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr,
                                std::uint32_t size, std::uint8_t noc = noc_index,
                                std::uint32_t /*vc*/ = 0,
                                tessera::CallSite site = tessera::CallSite::here()) {
    using tessera::kernel::Posting;
    tessera::kernel::noc_write(src_local_l1_addr, dst_noc_addr, size, noc,
                               tessera::kernel::PacketRule::OnePacket,
                               posted ? Posting::Posted : Posting::NonPosted, site);
}

/// Latch coordinates and size in the read (write) command of the NoC. `with_state` calls have only
/// the low word of the address. Any other read (write) on the same NoC destroys the state.
void noc_async_read_one_packet_set_state(std::uint64_t src_noc_addr, std::uint32_t size,
                                         std::uint8_t noc = noc_index, std::uint32_t vc = 0,
                                         tessera::CallSite site = tessera::CallSite::here());
void noc_async_read_one_packet_with_state(std::uint32_t src_local_addr, std::uint32_t dst_l1_addr,
                                          std::uint8_t noc = noc_index, std::uint32_t vc = 0,
                                          tessera::CallSite site = tessera::CallSite::here());
void noc_async_read_set_state(std::uint64_t src_noc_addr, std::uint8_t noc = noc_index,
                              tessera::CallSite site = tessera::CallSite::here());
void noc_async_read_with_state(std::uint32_t src_local_addr, std::uint32_t dst_l1_addr,
                               std::uint32_t size, std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here());
void noc_async_write_one_packet_set_state(std::uint64_t dst_noc_addr, std::uint32_t size,
                                          std::uint8_t noc = noc_index, std::uint8_t vc = 0,
                                          tessera::CallSite site = tessera::CallSite::here());
void noc_async_write_one_packet_with_state(std::uint32_t src_l1_addr, std::uint32_t dst_local_addr,
                                           std::uint8_t noc = noc_index,
                                           tessera::CallSite site = tessera::CallSite::here());

// Forms with template arguments, which select command registers on the chip. Parameter vc precedes
// noc in the read forms, and follows it in the write forms.
template <bool use_vc>
void noc_async_read_one_packet_set_state(std::uint64_t src_noc_addr, std::uint32_t size,
                                         std::uint32_t vc = 0, std::uint8_t noc = noc_index,
                                         tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_read_one_packet_set_state(src_noc_addr, size, noc, vc, site);
}
template <bool inc_num_issued, bool use_vc = false>
void noc_async_read_one_packet_with_state(std::uint32_t src_local_addr, std::uint32_t dst_l1_addr,
                                          std::uint32_t vc = 0, std::uint8_t noc = noc_index,
                                          tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_read_one_packet_with_state(src_local_addr, dst_l1_addr, noc, vc, site);
}
template <bool inc_num_issued>
void noc_async_read_with_state(std::uint32_t src_local_addr, std::uint32_t dst_l1_addr,
                               std::uint32_t size, std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_read_with_state(src_local_addr, dst_l1_addr, size, noc, site);
}
template <bool posted>
void noc_async_write_one_packet_set_state(std::uint64_t dst_noc_addr, std::uint32_t size,
                                          std::uint8_t noc = noc_index, std::uint8_t vc = 0,
                                          tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_one_packet_set_state(dst_noc_addr, size, noc, vc, site);
}
template <bool posted>
void noc_async_write_one_packet_with_state(std::uint32_t src_l1_addr, std::uint32_t dst_local_addr,
                                           std::uint8_t noc = noc_index,
                                           tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_one_packet_with_state(src_l1_addr, dst_local_addr, noc, site);
}
/// Does nothing: the machine counts each read when it is issued. On the chip it adds to the number
/// of reads that a barrier waits for, after reads with inc_num_issued = false.
inline void noc_async_read_inc_num_issued(std::uint32_t /*num_issued_reads_inc*/,
                                          std::uint8_t /*noc*/ = noc_index) {
}

/// Waits until every read that this thread issued on `noc` has arrived.
void noc_async_read_barrier(std::uint8_t noc = noc_index,
                            tessera::CallSite site = tessera::CallSite::here());
/// Waits until every non-posted write that this thread issued on `noc` has been acknowledged.
void noc_async_write_barrier(std::uint8_t noc = noc_index,
                             tessera::CallSite site = tessera::CallSite::here());
/// Waits until the data of every write has left own L1. The source may then be reused; the data may
/// not have arrived.
void noc_async_writes_flushed(std::uint8_t noc = noc_index,
                              tessera::CallSite site = tessera::CallSite::here());
void noc_async_posted_writes_flushed(std::uint8_t noc = noc_index,
                                     tessera::CallSite site = tessera::CallSite::here());
void noc_async_atomic_barrier(std::uint8_t noc = noc_index,
                              tessera::CallSite site = tessera::CallSite::here());
void noc_async_full_barrier(std::uint8_t noc = noc_index,
                            tessera::CallSite site = tessera::CallSite::here());

/// Set the transaction id (0 to 15) of later transfers. A barrier with an id waits only for
/// transfers with that id.
void noc_async_read_set_trid(std::uint32_t trid, std::uint8_t noc = noc_index,
                             tessera::CallSite site = tessera::CallSite::here());
void noc_async_read_one_packet_with_state_with_trid(
    std::uint32_t src_base_addr, std::uint32_t src_addr, std::uint32_t dst_addr, std::uint32_t trid,
    std::uint8_t noc = noc_index, tessera::CallSite site = tessera::CallSite::here());
void noc_async_read_barrier_with_trid(std::uint32_t trid, std::uint8_t noc = noc_index,
                                      tessera::CallSite site = tessera::CallSite::here());
void noc_async_write_set_trid(std::uint32_t trid, std::uint8_t noc = noc_index,
                              tessera::CallSite site = tessera::CallSite::here());
void noc_async_write_one_packet_with_trid(std::uint32_t src_l1_addr, std::uint64_t dst_noc_addr,
                                          std::uint32_t size, std::uint32_t trid,
                                          std::uint8_t cmd_buf = 0, std::uint8_t noc = noc_index,
                                          tessera::CallSite site = tessera::CallSite::here());
void noc_async_write_barrier_with_trid(std::uint32_t trid, std::uint8_t noc = noc_index,
                                       tessera::CallSite site = tessera::CallSite::here());
void noc_async_write_flushed_with_trid(std::uint32_t trid, std::uint8_t noc = noc_index,
                                       tessera::CallSite site = tessera::CallSite::here());

template <bool skip_ptr_update, bool skip_cmdbuf_chk = false>
void noc_async_read_one_packet_with_state_with_trid(
    std::uint32_t src_base_addr, std::uint32_t src_addr, std::uint32_t dst_addr,
    std::uint32_t trid = 0, std::uint8_t noc = noc_index,
    tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_read_one_packet_with_state_with_trid(src_base_addr, src_addr, dst_addr, trid, noc,
                                                   site);
}
template <bool update_counter, bool posted = false>
void noc_async_write_one_packet_with_trid(std::uint32_t src_l1_addr, std::uint64_t dst_noc_addr,
                                          std::uint32_t size, std::uint32_t trid,
                                          std::uint8_t cmd_buf = 0, std::uint8_t noc = noc_index,
                                          std::uint8_t /*vc*/ = 0,
                                          tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_one_packet_with_trid(src_l1_addr, dst_noc_addr, size, trid, cmd_buf, noc, site);
}
/// Latch the coordinate of writes with a transaction id. Each write has its address, size and id.
template <bool posted = false>
void noc_async_write_one_packet_with_trid_set_state(
    std::uint64_t dst_noc_addr, std::uint8_t /*cmd_buf*/ = 0, std::uint8_t noc = noc_index,
    std::uint8_t vc = 0, tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_one_packet_set_state(dst_noc_addr, 0, noc, vc, site);
}
void noc_async_write_one_packet_latched_with_trid(std::uint32_t src_l1_addr,
                                                  std::uint32_t dst_local_addr, std::uint32_t size,
                                                  std::uint32_t trid, std::uint8_t noc,
                                                  tessera::CallSite site);
template <bool update_counter = true, bool posted = false>
void noc_async_write_one_packet_with_trid_with_state(
    std::uint32_t src_l1_addr, std::uint32_t dst_local_addr, std::uint32_t size, std::uint32_t trid,
    std::uint8_t /*cmd_buf*/ = 0, std::uint8_t noc = noc_index,
    tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_one_packet_latched_with_trid(src_l1_addr, dst_local_addr, size, trid, noc,
                                                 site);
}
/// One bit for each of the 16 transaction ids.
inline constexpr std::uint32_t NOC_CLEAR_OUTSTANDING_REQ_MASK = 0xFFFF;
/// Does nothing, because a kernel thread begins without outstanding transfers. On the chip it
/// clears the counters of transaction ids before their first use in a kernel.
inline void reset_noc_trid_barrier_counter(
    std::uint32_t /*id_mask*/ = NOC_CLEAR_OUTSTANDING_REQ_MASK, std::uint32_t /*noc*/ = 0) {
}

/// Memory that an inline write reaches. On the chip it selects the workaround for a defect of
/// Blackhole.
enum class InlineWriteDst : std::uint8_t { DEFAULT, L1, REG };

/// Writes one 32-bit word. Bit i of `be` enables byte i.
inline void noc_inline_dw_write(std::uint64_t addr, std::uint32_t val, std::uint8_t be = 0xF,
                                std::uint8_t noc = noc_index, std::uint8_t /*vc*/ = 0,
                                tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::noc_inline_write(addr, val, be, noc, site);
}
void noc_inline_dw_write_set_state(std::uint64_t addr, std::uint8_t be = 0xF,
                                   std::uint8_t noc = noc_index, std::uint8_t vc = 0,
                                   tessera::CallSite site = tessera::CallSite::here());
void noc_inline_dw_write_with_state(std::uint32_t val, std::uint32_t addr = 0,
                                    std::uint8_t noc = noc_index,
                                    tessera::CallSite site = tessera::CallSite::here());

template <InlineWriteDst dst_type, bool posted = false, bool... options>
void noc_inline_dw_write(std::uint64_t addr, std::uint32_t val, std::uint8_t be = 0xF,
                         std::uint8_t noc = noc_index, std::uint8_t /*vc*/ = 0,
                         std::uint32_t /*customized_src_addr*/ = 0,
                         tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::noc_inline_write(addr, val, be, noc, site);
}
/// Latches the address of inline writes and, with `set_val`, their value.
template <bool posted, bool set_val = false, InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
void noc_inline_dw_write_set_state(std::uint64_t addr, std::uint32_t val = 0, std::uint8_t be = 0xF,
                                   std::uint8_t /*cmd_buf*/ = 0, std::uint8_t noc = noc_index,
                                   std::uint8_t vc = 0,
                                   tessera::CallSite site = tessera::CallSite::here()) {
    noc_inline_dw_write_set_state(addr, be, noc, vc, site);
    if constexpr (set_val) {
        tessera::kernel::latch_inline_value(val, noc);
    }
}
/// Writes one 32-bit word with the latched state. `addr` replaces the local address
/// (update_addr_lo) or the upper word of the NoC address (update_addr_hi).
template <bool update_addr_lo, bool update_counter = true, bool posted = false,
          bool update_addr_hi = false, bool update_val = false,
          InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
void noc_inline_dw_write_with_state(std::uint32_t val, std::uint32_t addr = 0,
                                    std::uint8_t /*cmd_buf*/ = 0, std::uint8_t noc = noc_index,
                                    tessera::CallSite site = tessera::CallSite::here()) {
    static_assert(!(update_addr_lo && update_addr_hi), "one word of the address changes in a call");
    if constexpr (update_addr_hi) {
        tessera::kernel::latch_inline_coordinate(addr, noc);
    }
    const std::uint32_t value = update_val ? val : tessera::kernel::latched_inline_value(noc, site);
    noc_inline_dw_write_with_state(value, update_addr_lo ? addr : 0, noc, site);
}

// Flags of the firmware that tell whether transfers are complete, for kernels that poll them. A
// call waits for the transfers like the barrier of the same kind, so that the first poll returns
// true.
inline bool ncrisc_noc_reads_flushed(std::uint32_t noc,
                                     tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_read_barrier(static_cast<std::uint8_t>(noc), site);
    return true;
}
inline bool ncrisc_noc_read_with_transaction_id_flushed(
    std::uint32_t noc, std::uint32_t trid, tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_read_barrier_with_trid(trid, static_cast<std::uint8_t>(noc), site);
    return true;
}
inline bool ncrisc_noc_nonposted_writes_sent(std::uint32_t noc,
                                             tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_writes_flushed(static_cast<std::uint8_t>(noc), site);
    return true;
}
inline bool ncrisc_noc_posted_writes_sent(std::uint32_t noc,
                                          tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_posted_writes_flushed(static_cast<std::uint8_t>(noc), site);
    return true;
}
inline bool ncrisc_noc_nonposted_writes_flushed(
    std::uint32_t noc, tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_barrier(static_cast<std::uint8_t>(noc), site);
    return true;
}
inline bool ncrisc_noc_nonposted_atomics_flushed(
    std::uint32_t noc, tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_atomic_barrier(static_cast<std::uint8_t>(noc), site);
    return true;
}
// Counters of transfers in the firmware, which the machine keeps itself.
/// Sets the id of the transfers that a command buffer issues afterwards.
inline void ncrisc_noc_set_transaction_id(std::uint32_t noc, std::uint32_t cmd_buf,
                                          std::uint32_t trid,
                                          tessera::CallSite site = tessera::CallSite::here()) {
    if (cmd_buf == read_cmd_buf) {
        noc_async_read_set_trid(trid, static_cast<std::uint8_t>(noc), site);
    } else {
        noc_async_write_set_trid(trid, static_cast<std::uint8_t>(noc), site);
    }
}
inline void ncrisc_noc_counters_init() {
}
inline void dynamic_noc_local_state_init() {
}

/// Lets other threads run. Kernels call it in loops that poll L1.
void invalidate_l1_cache(tessera::CallSite site = tessera::CallSite::here());
