// SPDX-License-Identifier: Apache-2.0
// Counts the memory mappings of the process that cores hold. The host limits their number
// (vm.max_map_count), and the process may hold several meshes at a time.
#pragma once

#include <cstdint>

namespace tessera {

/// Counts `count` more mappings and returns true, unless the host's limit leaves no space for them.
[[nodiscard]] bool take_mappings(std::uint64_t count);
/// Counts `count` more mappings, which are needed whatever the limit is.
void add_mappings(std::uint64_t count) noexcept;
/// Takes `count` mappings off the count.
void release_mappings(std::uint64_t count) noexcept;

}  // namespace tessera
