// SPDX-License-Identifier: Apache-2.0
// Asynchronous reads and writes over a NoC, and the barriers that make them safe.
// A transfer stays in flight until a barrier (a flush, for the source of a write).
#pragma once

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/types.hpp"

// A kernel that is compiled has the largest packet of its chip here (noc.max_packet); one that is
// built in runs on each chip, and has that of the smaller NoC.
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

/// As above, at most one packet. Errors   UndefinedBehavior beyond the largest packet.
inline void noc_async_read_one_packet(std::uint64_t src_noc_addr, std::uint32_t dst_local_l1_addr,
                                      std::uint32_t size, std::uint8_t noc = noc_index,
                                      std::uint32_t /*vc*/ = 0,
                                      tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::noc_read(src_noc_addr, dst_local_l1_addr, size, noc,
                              tessera::kernel::PacketRule::OnePacket, site);
}
template <bool posted = false>
void noc_async_write_one_packet(std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr,
                                std::uint32_t size, std::uint8_t noc = noc_index,
                                std::uint32_t /*vc*/ = 0,
                                tessera::CallSite site = tessera::CallSite::here()) {
    using tessera::kernel::Posting;
    tessera::kernel::noc_write(src_local_l1_addr, dst_noc_addr, size, noc,
                               tessera::kernel::PacketRule::OnePacket,
                               posted ? Posting::Posted : Posting::NonPosted, site);
}

/// Latch coordinates and size on the NoC's read (write) command; the `with_state` calls give only
/// the low address word. Any other read (write) on the same NoC destroys the state.
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

/// Waits until every read this thread issued on `noc` has landed.
void noc_async_read_barrier(std::uint8_t noc = noc_index,
                            tessera::CallSite site = tessera::CallSite::here());
/// Waits until every non-posted write this thread issued on `noc` has been acknowledged.
void noc_async_write_barrier(std::uint8_t noc = noc_index,
                             tessera::CallSite site = tessera::CallSite::here());
/// Waits until the data of every write has left: the source may be reused, arrival is not promised.
void noc_async_writes_flushed(std::uint8_t noc = noc_index,
                              tessera::CallSite site = tessera::CallSite::here());
void noc_async_posted_writes_flushed(std::uint8_t noc = noc_index,
                                     tessera::CallSite site = tessera::CallSite::here());
void noc_async_atomic_barrier(std::uint8_t noc = noc_index,
                              tessera::CallSite site = tessera::CallSite::here());
void noc_async_full_barrier(std::uint8_t noc = noc_index,
                            tessera::CallSite site = tessera::CallSite::here());

/// Transaction ids 0…15: the barrier with an id waits for that id's transfers only.
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

/// Writes one 32-bit word; `be` enables its bytes.
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

/// Lets other threads run: the natural yield point of a loop that polls L1.
void invalidate_l1_cache(tessera::CallSite site = tessera::CallSite::here());
