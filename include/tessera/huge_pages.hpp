// SPDX-License-Identifier: Apache-2.0
// Large pages of host memory, for what is large: the first touch of memory costs a fault a page.
#pragma once

#include <cstddef>

namespace tessera {

/// Asks the host for large pages wherever one lies wholly in [begin, begin + bytes); the host may
/// have none. Holds memory back from nobody: smaller ranges are left alone, untouched pages stay
/// uncommitted.
void prefer_huge_pages(std::byte* begin, std::size_t bytes) noexcept;

/// As prefer_huge_pages, and touches the range on all host threads: for memory that is going to be
/// written at once.
void commit_huge_pages(std::byte* begin, std::size_t bytes);

}  // namespace tessera
