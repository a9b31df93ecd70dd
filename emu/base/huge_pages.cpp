// SPDX-License-Identifier: Apache-2.0
#include "tessera/huge_pages.hpp"

#include <sys/mman.h>
#include <tbb/parallel_for.h>

#include <cstdint>

namespace tessera {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20U;
/// For fewer bytes, waking other threads costs more than it saves.
constexpr std::uint64_t kLeastParallel = 8 * kHugePage;

struct PageRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

PageRange huge_pages_in(const std::byte* begin, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(begin);
    return {(address + kHugePage - 1) & ~(kHugePage - 1), (address + bytes) & ~(kHugePage - 1)};
}

// If the host ignores the advice, only time is lost.
void advise(std::uint64_t first, std::uint64_t last, int advice) {
    (void)madvise(reinterpret_cast<void*>(first), last - first, advice);
}

}  // namespace

void prefer_huge_pages(std::byte* begin, std::size_t bytes) noexcept {
    const PageRange pages = huge_pages_in(begin, bytes);
    if (pages.first < pages.last) {
        advise(pages.first, pages.last, MADV_HUGEPAGE);
    }
}

void commit_huge_pages(std::byte* begin, std::size_t bytes) {
    prefer_huge_pages(begin, bytes);
    const PageRange pages = huge_pages_in(begin, bytes);
    if (pages.first + kLeastParallel > pages.last) {
        return;
    }
    tbb::parallel_for(pages.first / kHugePage, pages.last / kHugePage, [](std::uint64_t page) {
        advise(page * kHugePage, (page + 1) * kHugePage, MADV_POPULATE_WRITE);
    });
}

}  // namespace tessera
