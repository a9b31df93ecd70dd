// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/multicast.hpp"

#include "emu/core/kernel_thread.hpp"
#include "emu/noc/multicast.hpp"

using tessera::CallSite;
using tessera::current_thread;
using tessera::Loopback;

// `linked` keeps the path reserved on the chip; here what it promises, that the next multicast
// does not overtake this one, holds for every pair.

void noc_async_write_multicast(std::uint32_t src_local_l1_addr,
                               std::uint64_t dst_noc_addr_multicast, std::uint32_t size,
                               std::uint32_t num_dests, bool linked, std::uint8_t noc,
                               CallSite site) {
    tessera::multicast_write(current_thread(), noc, src_local_l1_addr, dst_noc_addr_multicast, size,
                             num_dests, {Loopback::ExcludeSender, linked},
                             "noc_async_write_multicast", site);
}

void noc_async_write_multicast_loopback_src(std::uint32_t src_local_l1_addr,
                                            std::uint64_t dst_noc_addr_multicast,
                                            std::uint32_t size, std::uint32_t num_dests,
                                            bool linked, std::uint8_t noc, CallSite site) {
    tessera::multicast_write(current_thread(), noc, src_local_l1_addr, dst_noc_addr_multicast, size,
                             num_dests, {Loopback::IncludeSender, linked},
                             "noc_async_write_multicast_loopback_src", site);
}

void noc_semaphore_set_multicast(std::uint32_t src_local_l1_addr,
                                 std::uint64_t dst_noc_addr_multicast, std::uint32_t num_dests,
                                 bool linked, std::uint8_t noc, CallSite site) {
    tessera::multicast_word(current_thread(), noc, src_local_l1_addr, dst_noc_addr_multicast,
                            num_dests, {Loopback::ExcludeSender, linked},
                            "noc_semaphore_set_multicast", site);
}

void noc_semaphore_set_multicast_loopback_src(std::uint32_t src_local_l1_addr,
                                              std::uint64_t dst_noc_addr_multicast,
                                              std::uint32_t num_dests, bool linked,
                                              std::uint8_t noc, CallSite site) {
    tessera::multicast_word(current_thread(), noc, src_local_l1_addr, dst_noc_addr_multicast,
                            num_dests, {Loopback::IncludeSender, linked},
                            "noc_semaphore_set_multicast_loopback_src", site);
}

void noc_semaphore_inc_multicast(std::uint64_t dst_noc_addr_multicast, std::uint32_t incr,
                                 std::uint32_t num_dests, std::uint8_t noc, CallSite site) {
    tessera::multicast_increment(current_thread(), noc, dst_noc_addr_multicast, incr, num_dests,
                                 "noc_semaphore_inc_multicast", site);
}
