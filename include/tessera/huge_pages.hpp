// SPDX-License-Identifier: Apache-2.0
// Huge pages of host memory. They save page faults: the first touch of each page costs one.
#pragma once

#include <cstddef>

namespace tessera {

/// Asks the host for huge pages in [begin, begin + bytes). The host may have none. Only whole huge
/// pages are affected, and untouched pages stay uncommitted.
void prefer_huge_pages(std::byte* begin, std::size_t bytes) noexcept;

/// Calls prefer_huge_pages and touches the range on all host threads. For memory that is about to
/// be written.
void commit_huge_pages(std::byte* begin, std::size_t bytes);

}  // namespace tessera
