// SPDX-License-Identifier: Apache-2.0
// Multicast to a rectangle of cores. Plain forms leave the sender out even if the rectangle holds
// it; `loopback_src` forms include it. `num_dests` must be the number of receivers.
// Errors   UndefinedBehavior if it is not, or is 0; Unsupported for a rectangle that wraps around.
#pragma once

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/types.hpp"

/// Lands at the same L1 address on every receiver. `linked` keeps the path for the next multicast
/// of this thread on the NoC; the last one of a chain is not linked.
void noc_async_write_multicast(std::uint32_t src_local_l1_addr,
                               std::uint64_t dst_noc_addr_multicast, std::uint32_t size,
                               std::uint32_t num_dests, bool linked = false,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here());
void noc_async_write_multicast_loopback_src(std::uint32_t src_local_l1_addr,
                                            std::uint64_t dst_noc_addr_multicast,
                                            std::uint32_t size, std::uint32_t num_dests,
                                            bool linked = false, std::uint8_t noc = noc_index,
                                            tessera::CallSite site = tessera::CallSite::here());
/// As noc_async_write_multicast, at most one packet.
inline void noc_async_write_multicast_one_packet(
    std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr_multicast, std::uint32_t size,
    std::uint32_t num_dests, bool linked = false, std::uint8_t noc = noc_index,
    tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked,
                              noc, site);
}
/// Form with the largest size as a template argument.
template <std::uint32_t max_page_size, bool... options>
void noc_async_write_multicast(std::uint32_t src_local_l1_addr,
                               std::uint64_t dst_noc_addr_multicast, std::uint32_t size,
                               std::uint32_t num_dests, bool linked = false,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked,
                              noc, site);
}
/// Writes the word at `src_local_l1_addr` to every receiver, after all data sent before.
void noc_semaphore_set_multicast(std::uint32_t src_local_l1_addr,
                                 std::uint64_t dst_noc_addr_multicast, std::uint32_t num_dests,
                                 bool linked = false, std::uint8_t noc = noc_index,
                                 tessera::CallSite site = tessera::CallSite::here());
void noc_semaphore_set_multicast_loopback_src(std::uint32_t src_local_l1_addr,
                                              std::uint64_t dst_noc_addr_multicast,
                                              std::uint32_t num_dests, bool linked = false,
                                              std::uint8_t noc = noc_index,
                                              tessera::CallSite site = tessera::CallSite::here());
/// Adds `incr` on every receiver; the sender must not be one.
void noc_semaphore_inc_multicast(std::uint64_t dst_noc_addr_multicast, std::uint32_t incr,
                                 std::uint32_t num_dests, std::uint8_t noc = noc_index,
                                 tessera::CallSite site = tessera::CallSite::here());
template <bool posted>
void noc_semaphore_inc_multicast(std::uint64_t dst_noc_addr_multicast, std::uint32_t incr,
                                 std::uint32_t num_dests, std::uint8_t noc = noc_index,
                                 std::uint8_t /*vc*/ = 0,
                                 tessera::CallSite site = tessera::CallSite::here()) {
    noc_semaphore_inc_multicast(dst_noc_addr_multicast, incr, num_dests, noc, site);
}
