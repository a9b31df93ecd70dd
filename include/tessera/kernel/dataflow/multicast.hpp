// SPDX-License-Identifier: Apache-2.0
// Multicast to a rectangle of cores. Plain forms exclude the sender even if it is in the rectangle;
// `loopback_src` forms include it. `num_dests` must be the number of receivers.
// Errors   UndefinedBehavior if `num_dests` is 0 or not the number of receivers; Unsupported for a
//          rectangle that wraps around the torus.
#pragma once

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/types.hpp"

/// Writes to the same L1 address on every receiver. `linked` keeps the path for the next multicast
/// of this thread on the NoC; the last multicast of a chain must not be linked.
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
/// Does the same as noc_async_write_multicast, for at most one packet.
inline void noc_async_write_multicast_one_packet(
    std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr_multicast, std::uint32_t size,
    std::uint32_t num_dests, bool linked = false, std::uint8_t noc = noc_index,
    tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked,
                              noc, site);
}
/// Does the same, with the largest size as a template argument.
template <std::uint32_t max_page_size, bool... options>
void noc_async_write_multicast(std::uint32_t src_local_l1_addr,
                               std::uint64_t dst_noc_addr_multicast, std::uint32_t size,
                               std::uint32_t num_dests, bool linked = false,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_multicast(src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked,
                              noc, site);
}
/// Writes the word at `src_local_l1_addr` to every receiver, after all data sent there before.
void noc_semaphore_set_multicast(std::uint32_t src_local_l1_addr,
                                 std::uint64_t dst_noc_addr_multicast, std::uint32_t num_dests,
                                 bool linked = false, std::uint8_t noc = noc_index,
                                 tessera::CallSite site = tessera::CallSite::here());
void noc_semaphore_set_multicast_loopback_src(std::uint32_t src_local_l1_addr,
                                              std::uint64_t dst_noc_addr_multicast,
                                              std::uint32_t num_dests, bool linked = false,
                                              std::uint8_t noc = noc_index,
                                              tessera::CallSite site = tessera::CallSite::here());
/// Adds `incr` to a word of every receiver. The sender must not be a receiver.
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
