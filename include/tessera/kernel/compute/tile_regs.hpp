// SPDX-License-Identifier: Apache-2.0
// The hand-over of DST between math and packer.
// Order    math acts between acquire and commit, the packer between wait and release. Wait never
//          blocks and may precede commit.
// Errors   UndefinedBehavior naming DST's state; Unsupported for an order of calls that needs
//          separate threads (emu/core/dst.hpp).
#pragma once

#include "tessera/kernel/compute/types.hpp"

namespace ckernel {

/// Acquires a free half of DST for math. The half is zero, because release (or the launch) cleared
/// it.
void tile_regs_acquire(CallSite site = CallSite::here());
/// Hands math's half to the packer.
void tile_regs_commit(CallSite site = CallSite::here());
/// Acquires the committed half for the packer.
void tile_regs_wait(CallSite site = CallSite::here());
/// Clears the packer's half and frees it.
void tile_regs_release(CallSite site = CallSite::here());

/// Older pair of calls: acquire_dst acquires and waits, release_dst commits and releases.
void acquire_dst(CallSite site = CallSite::here());
void release_dst(CallSite site = CallSite::here());
inline void acquire_dst(tt::DstMode /*mode*/, CallSite site = CallSite::here()) {
    acquire_dst(site);
}
inline void release_dst(tt::DstMode /*mode*/, CallSite site = CallSite::here()) {
    release_dst(site);
}

}  // namespace ckernel
