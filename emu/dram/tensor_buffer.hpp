// SPDX-License-Identifier: Apache-2.0
// Layout of a tensor on a device before it has an address, and the memories in which it may be
// allocated.
#pragma once

#include <string>

#include "emu/dram/bank_allocator.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/buffer.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Returns the allocator of a device's DRAM (all banks at once) or of its L1s (all cores at once).
[[nodiscard]] BankAllocator make_allocator(const ArchSpec& arch, BufferType type,
                                           std::uint32_t device);

/// Returns a buffer whose pages are distributed round robin over the banks.
[[nodiscard]] Buffer interleaved_buffer(const ArchSpec& arch, std::uint32_t device,
                                        const TensorSpec& spec, BufferType type);

/// Returns a buffer whose shards are on cores or in banks: a core (b,0) denotes DRAM bank b.
/// Errors   UsageError naming the tensor for a bank that the device does not have.
[[nodiscard]] Buffer sharded_buffer(const ArchSpec& arch, std::uint32_t device,
                                    const std::string& name, const TensorSpec& spec,
                                    BufferType type, TensorMemoryLayout layout,
                                    const ShardSpec& shard);

}  // namespace tessera
