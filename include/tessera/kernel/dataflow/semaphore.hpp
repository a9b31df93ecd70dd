// SPDX-License-Identifier: Apache-2.0
// Semaphores: words of L1 that other cores may change and a thread may wait on.
#pragma once

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/types.hpp"

/// Values of a semaphore used as a flag. Source  tt-metal hostdevcommon/common_values.hpp.
inline constexpr std::uint32_t INVALID = 0;
inline constexpr std::uint32_t VALID = 1;

enum class ProgrammableCoreType : std::uint8_t { TENSIX };

namespace tessera::kernel {
std::uint32_t semaphore_address(std::uint32_t id, CallSite site);
void semaphore_increment(std::uint64_t address, std::uint32_t increment, std::uint8_t noc,
                         Posting posting, CallSite site);
}  // namespace tessera::kernel

/// Returns the L1 address of semaphore `semaphore_id`, which is equal on every core.
template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
std::uint32_t get_semaphore(std::uint32_t semaphore_id,
                            tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::semaphore_address(semaphore_id, site);
}

/// Blocks until the word EQUALS `val`. If the word already exceeds `val`, the call may block for
/// ever.
void noc_semaphore_wait(volatile tt_l1_ptr std::uint32_t* sem_addr, std::uint32_t val,
                        tessera::CallSite site = tessera::CallSite::here());
/// Blocks until the word is at least `val`.
void noc_semaphore_wait_min(volatile tt_l1_ptr std::uint32_t* sem_addr, std::uint32_t val,
                            tessera::CallSite site = tessera::CallSite::here());
/// Blocks until the word at an address of own L1, which kernels use as a flag, equals `val`.
inline void wait_for_sync_register_value(std::uintptr_t addr, std::int32_t val,
                                         tessera::CallSite site = tessera::CallSite::here()) {
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr std::uint32_t*>(addr),
                       static_cast<std::uint32_t>(val), site);
}
/// Stores `val` in a word of own L1.
void noc_semaphore_set(volatile tt_l1_ptr std::uint32_t* sem_addr, std::uint32_t val,
                       tessera::CallSite site = tessera::CallSite::here());

/// Adds to a word of any L1, after every write that this thread sent there before on the same NoC.
template <bool posted = false>
void noc_semaphore_inc(std::uint64_t addr, std::uint32_t incr, std::uint8_t noc_id = noc_index,
                       std::uint8_t /*vc*/ = 0,
                       tessera::CallSite site = tessera::CallSite::here()) {
    using tessera::kernel::Posting;
    tessera::kernel::semaphore_increment(addr, incr, noc_id,
                                         posted ? Posting::Posted : Posting::NonPosted, site);
}
/// Writes the word at `src_local_l1_addr` to `dst_noc_addr`.
void noc_semaphore_set_remote(std::uint32_t src_local_l1_addr, std::uint64_t dst_noc_addr,
                              std::uint8_t noc = noc_index,
                              tessera::CallSite site = tessera::CallSite::here());
