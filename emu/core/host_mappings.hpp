// SPDX-License-Identifier: Apache-2.0
// Counts the memory mappings of the process that cores hold. The host limits their number
// (vm.max_map_count), and the process may hold several meshes at a time.
#pragma once

#include <cstdint>

namespace tessera {

/// Adds `count` mappings and returns true. Returns false and adds none if they would exceed the
/// host's limit. 4096 mappings of that limit are kept for libraries, threads and DRAM.
[[nodiscard]] bool take_mappings(std::uint64_t count);
/// Adds `count` mappings without which the process cannot run, whatever the limit is.
void add_mappings(std::uint64_t count) noexcept;
/// Subtracts `count` mappings.
void release_mappings(std::uint64_t count) noexcept;

}  // namespace tessera
