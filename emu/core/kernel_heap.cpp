// SPDX-License-Identifier: Apache-2.0
#include "emu/core/kernel_heap.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "emu/base/round_up.hpp"
#include "emu/core/host_mappings.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

constexpr std::size_t kHeapPage = 4096;
// Each block with pages of its own costs two mappings and two calls of the host. Kernels that loop
// over allocations take chunks soon.
constexpr std::size_t kMaxPagedBlocks = 32;
constexpr std::size_t kPagedSize = 4 * kKernelHeapSize;
// Chunks are powers of two, so that freed ones are found by size. The smallest has 16 bytes of
// pattern on both sides of 16 bytes.
constexpr std::size_t kChunksSize = 16 * kKernelHeapSize;
constexpr std::size_t kPattern = 16;
constexpr std::size_t kSmallestBlock = 16;
constexpr std::size_t kOpenedAtOnce = std::size_t{1} << 20U;
// Freed memory of one chunk size that is not used again, so that late writes are found.
constexpr std::size_t kKeptFreed = std::size_t{1} << 20U;

constexpr std::uint64_t kMappingsOfHeap = 3;
constexpr std::uint64_t kMappingsOfPaged = 2;

constexpr std::byte kAround{0xA5};
constexpr std::byte kFreed{0xDD};  ///< as a pointer it is an address that no host has

struct Range {
    std::byte* begin;
    std::byte* end;

    void fill(std::byte value) const { std::fill(begin, end, value); }
    /// Returns the first byte that is not `value`; null if all are. The comparison of the range with
    /// itself, one byte further, is what the C library does many bytes at a time.
    [[nodiscard]] const std::byte* first_other(std::byte value) const {
        if (begin == end ||
            (*begin == value && std::memcmp(begin, begin + 1, end - begin - 1) == 0)) {
            return nullptr;
        }
        return std::find_if(begin, end, [=](std::byte b) { return b != value; });
    }
};

bool open_heap_range(std::byte* begin, std::size_t bytes) {
    return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

// The memory goes back to the host, and any access faults.
void close_range(std::byte* begin, std::size_t bytes) {
    (void)madvise(begin, bytes, MADV_DONTNEED);
    (void)mprotect(begin, bytes, PROT_NONE);
}

std::string describe_byte(std::ptrdiff_t byte, std::size_t size, bool is_freed) {
    return is_freed ? fmt::format("byte {} of a block of {} bytes that it has freed", byte, size)
                    : fmt::format("byte {} of a block of {} bytes on its heap; allowed: 0 to {}",
                                  byte, size, size - 1);
}

}  // namespace

// A closed page at the begin keeps an access before the first block off other memory.
KernelHeap::KernelHeap() {
    void* raw = mmap(nullptr, kPagedSize + kChunksSize + kHeapPage, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(
        raw != MAP_FAILED,
        "the host cannot reserve {} bytes of address space for a kernel's heap: {}; is it limited "
        "(ulimit -v)?",
        kPagedSize + kChunksSize + kHeapPage, std::strerror(errno));
    add_mappings(kMappingsOfHeap);
    begin_ = static_cast<std::byte*>(raw);
    next_page_ = begin_ + kHeapPage;
    next_chunk_ = begin_ + kPagedSize;
    end_of_chunks_ = next_chunk_;
}

KernelHeap::~KernelHeap() {
    munmap(begin_, kPagedSize + kChunksSize + kHeapPage);
    release_mappings(kMappingsOfHeap + kMappingsOfPaged * num_mapped_);
}

// The block ends where its pages do, as far as its alignment allows it.
std::optional<KernelHeap::Block> KernelHeap::take_pages(std::size_t bytes, std::size_t alignment) {
    const std::size_t span = round_up(bytes, std::max(alignment, kHeapPage));
    const auto free_bytes = static_cast<std::size_t>(begin_ + kPagedSize - next_page_);
    if (num_paged_ == kMaxPagedBlocks || alignment > kHeapPage || span + kHeapPage > free_bytes ||
        !take_mappings(kMappingsOfPaged)) {
        return std::nullopt;
    }
    if (!open_heap_range(next_page_, span)) {
        release_mappings(kMappingsOfPaged);
        return std::nullopt;
    }
    const Block block{.size = bytes, .span = next_page_, .span_size = span, .has_pages = true};
    next_page_ += span + kHeapPage;
    ++num_paged_;
    ++num_mapped_;
    return block;
}

// The oldest freed chunk is used again, if enough younger ones remain.
std::byte* KernelHeap::unused_chunk(std::size_t bytes) {
    std::vector<std::byte*>& freed = freed_[bytes];
    if (!freed.empty() && freed.size() * bytes > kKeptFreed) {
        const auto entry = blocks_.find(freed.front());
        freed.erase(freed.begin());
        if (!found_) {
            found_ = damage_of(*entry);
        }
        std::byte* chunk = entry->second.span;
        blocks_.erase(entry);
        return chunk;
    }
    const auto left = static_cast<std::size_t>(begin_ + kPagedSize + kChunksSize - next_chunk_);
    if (bytes > left) {
        return nullptr;
    }
    if (const auto open = static_cast<std::size_t>(end_of_chunks_ - next_chunk_); bytes > open) {
        const std::size_t more = std::min(round_up(bytes - open, kOpenedAtOnce), left - open);
        if (!open_heap_range(end_of_chunks_, more)) {
            return nullptr;
        }
        end_of_chunks_ += more;
    }
    std::byte* chunk = next_chunk_;
    next_chunk_ += bytes;
    return chunk;
}

std::optional<KernelHeap::Block> KernelHeap::take_chunk(std::size_t bytes, std::size_t alignment) {
    const std::size_t span =
        std::bit_ceil(bytes + 2 * kPattern + (alignment > kPattern ? alignment : 0));
    std::byte* chunk = unused_chunk(span);
    return chunk == nullptr ? std::nullopt
                            : std::optional(Block{.size = bytes, .span = chunk, .span_size = span});
}

void* KernelHeap::allocate(std::size_t bytes, std::size_t alignment, std::uint64_t call) {
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    const std::size_t step = std::max(alignment, alignof(std::max_align_t));
    const bool is_power = std::has_single_bit(step);
    const std::size_t held = std::max(size, kSmallestBlock);
    if (!is_power || held > kKernelHeapSize - bytes_held_ || step > kKernelHeapSize) {
        return nullptr;
    }
    std::optional<Block> block = take_pages(size, step);
    block = block ? block : take_chunk(size, step);
    if (!block) {
        return nullptr;
    }
    block->call = call;
    const auto last = reinterpret_cast<std::uintptr_t>(block->span + block->span_size -
                                                       (block->has_pages ? 0 : kPattern) - size);
    auto* begin = reinterpret_cast<std::byte*>(last / step * step);
    Range{block->span, begin}.fill(kAround);
    Range{begin + size, block->span + block->span_size}.fill(kAround);
    blocks_.emplace(begin, *block);
    bytes_held_ += held;
    return begin;
}

std::optional<HeapDamage> KernelHeap::free(void* block) {
    const auto entry = blocks_.find(static_cast<std::byte*>(block));
    std::optional<HeapDamage> damage = damage_of(*entry);
    Block& freed = entry->second;
    freed.is_freed = true;
    bytes_held_ -= std::max(freed.size, kSmallestBlock);
    if (freed.has_pages) {
        close_range(freed.span, freed.span_size);
        release_mappings(kMappingsOfPaged);
        --num_mapped_;
    } else {
        Range{entry->first, entry->first + freed.size}.fill(kFreed);
        freed_[freed.span_size].push_back(entry->first);
    }
    return damage;
}

std::size_t KernelHeap::size_of(const void* block) const {
    const auto found = blocks_.find(static_cast<std::byte*>(const_cast<void*>(block)));
    return found == blocks_.end() || found->second.is_freed ? 0 : found->second.size;
}

std::optional<HeapDamage> KernelHeap::damage_of(const Blocks::value_type& entry) {
    const auto& [begin, block] = entry;
    if (block.is_freed && block.has_pages) {
        return std::nullopt;  // an access has faulted
    }
    const Range before{block.span, begin};
    const Range inside{begin, begin + (block.is_freed ? block.size : 0)};
    const Range behind{begin + block.size, block.span + block.span_size};
    const std::byte* byte = before.first_other(kAround);
    byte = byte != nullptr ? byte : inside.first_other(kFreed);
    byte = byte != nullptr ? byte : behind.first_other(kAround);
    if (byte == nullptr) {
        return std::nullopt;
    }
    return HeapDamage{describe_byte(byte - begin, block.size, block.is_freed), block.call};
}

std::optional<HeapDamage> KernelHeap::damage() const {
    std::optional<HeapDamage> found = found_;
    for (auto entry = blocks_.begin(); !found && entry != blocks_.end(); ++entry) {
        found = damage_of(*entry);
    }
    return found;
}

std::optional<std::string> KernelHeap::missed_block(std::uint64_t address) const {
    auto* byte = reinterpret_cast<std::byte*>(address);
    if (blocks_.empty() || byte < begin_ || byte >= begin_ + kPagedSize + kChunksSize + kHeapPage) {
        return std::nullopt;
    }
    const auto after = blocks_.upper_bound(byte);
    const bool is_before_next =
        after == blocks_.begin() || (after != blocks_.end() && byte >= after->second.span &&
                                     !std::prev(after)->second.is_freed);
    const auto& [begin, block] = is_before_next ? *after : *std::prev(after);
    return describe_byte(byte - begin, block.size, block.is_freed);
}

}  // namespace tessera
