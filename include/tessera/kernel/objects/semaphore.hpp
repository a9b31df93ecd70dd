// SPDX-License-Identifier: Apache-2.0
// Device 2.0: a semaphore as an object. `wait` tests for equality, like the free function.
// Source   tt-metal tt_metal/hw/inc/experimental/noc_semaphore.h.
#pragma once

#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/objects/noc.hpp"

namespace experimental {

/// Semaphore of the program: a word at one L1 address on each of its cores.
template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
public:
    using CallSite = tessera::CallSite;

    explicit Semaphore(std::uint32_t semaphore_id, CallSite site = CallSite::here())
        : address_(get_semaphore<core_type>(semaphore_id, site)) {}

    /// Adds to this core's word; not atomic with respect to other cores.
    void up(std::uint32_t value, CallSite site = CallSite::here()) const {
        noc_semaphore_set(word(), *word() + value, site);
    }
    /// Adds to the word of the core at (noc_x, noc_y), atomically.
    void up(const Noc& noc, std::uint32_t noc_x, std::uint32_t noc_y, std::uint32_t value,
            std::uint8_t /*vc*/ = NOC_UNICAST_WRITE_VC, CallSite site = CallSite::here()) const {
        noc_semaphore_inc(get_noc_addr(noc_x, noc_y, address_), value, noc.get_noc_id(), 0, site);
    }
    /// Blocks until the word is at least `value`, then subtracts it.
    void down(std::uint32_t value, CallSite site = CallSite::here()) const {
        noc_semaphore_wait_min(word(), value, site);
        noc_semaphore_set(word(), *word() - value, site);
    }
    void set(std::uint32_t value, CallSite site = CallSite::here()) const {
        noc_semaphore_set(word(), value, site);
    }
    /// Blocks until the word EQUALS `value`.
    void wait(std::uint32_t value, CallSite site = CallSite::here()) const {
        noc_semaphore_wait(word(), value, site);
    }
    void wait_min(std::uint32_t value, CallSite site = CallSite::here()) const {
        noc_semaphore_wait_min(word(), value, site);
    }

    /// Copies this core's word to every core of a rectangle.
    template <Noc::McastMode mcast_mode = Noc::McastMode::EXCLUDE_SRC>
    void set_multicast(const Noc& noc, std::uint32_t noc_x_start, std::uint32_t noc_y_start,
                       std::uint32_t noc_x_end, std::uint32_t noc_y_end, std::uint32_t num_dests,
                       bool linked = false, CallSite site = CallSite::here()) const {
        const std::uint64_t target = get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end,
                                                            noc_y_end, address_, noc.get_noc_id());
        if constexpr (mcast_mode == Noc::McastMode::INCLUDE_SRC) {
            noc_semaphore_set_multicast_loopback_src(address_, target, num_dests, linked,
                                                     noc.get_noc_id(), site);
        } else {
            noc_semaphore_set_multicast(address_, target, num_dests, linked, noc.get_noc_id(),
                                        site);
        }
    }
    template <NocOptions options>
    void set_multicast(const Noc& noc, std::uint32_t noc_x_start, std::uint32_t noc_y_start,
                       std::uint32_t noc_x_end, std::uint32_t noc_y_end, std::uint32_t num_dests,
                       bool linked = false, CallSite site = CallSite::here()) const {
        relay_multicast<options>(noc, *this, noc_x_start, noc_y_start, noc_x_end, noc_y_end,
                                 num_dests, linked, site);
    }
    /// Copy this core's word to another semaphore's word on one core, or on each core of a
    /// rectangle.
    template <ProgrammableCoreType target_type>
    void relay_unicast(const Noc& noc, const Semaphore<target_type>& target, std::uint32_t noc_x,
                       std::uint32_t noc_y, CallSite site = CallSite::here()) const {
        noc_semaphore_set_remote(address_, get_noc_addr(noc_x, noc_y, target.get_l1_addr()),
                                 noc.get_noc_id(), site);
    }
    template <NocOptions options = NocOptions::DEFAULT, ProgrammableCoreType target_type>
    void relay_multicast(const Noc& noc, const Semaphore<target_type>& target,
                         std::uint32_t noc_x_start, std::uint32_t noc_y_start,
                         std::uint32_t noc_x_end, std::uint32_t noc_y_end, std::uint32_t num_dests,
                         bool linked = false, CallSite site = CallSite::here()) const {
        const std::uint64_t place = get_noc_multicast_addr(
            noc_x_start, noc_y_start, noc_x_end, noc_y_end, target.get_l1_addr(), noc.get_noc_id());
        if constexpr (has_option(options, NocOptions::MCAST_INCL_SRC)) {
            noc_semaphore_set_multicast_loopback_src(address_, place, num_dests, linked,
                                                     noc.get_noc_id(), site);
        } else {
            noc_semaphore_set_multicast(address_, place, num_dests, linked, noc.get_noc_id(), site);
        }
    }
    [[nodiscard]] std::uint32_t get_l1_addr() const { return address_; }
    /// Adds to the word of every core of a rectangle. The sender must not be one of them.
    void inc_multicast(const Noc& noc, std::uint32_t noc_x_start, std::uint32_t noc_y_start,
                       std::uint32_t noc_x_end, std::uint32_t noc_y_end, std::uint32_t value,
                       std::uint32_t num_dests, CallSite site = CallSite::here()) const {
        noc_semaphore_inc_multicast(get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end,
                                                           noc_y_end, address_, noc.get_noc_id()),
                                    value, num_dests, noc.get_noc_id(), site);
    }

private:
    [[nodiscard]] volatile tt_l1_ptr std::uint32_t* word() const {
        return reinterpret_cast<volatile tt_l1_ptr std::uint32_t*>(
            static_cast<std::uintptr_t>(address_));
    }
    std::uint32_t address_;
};

}  // namespace experimental
