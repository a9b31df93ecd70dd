// SPDX-License-Identifier: Apache-2.0
// Holds what a kernel thread has allocated and finds accesses outside of it. A core of the chip has
// no heap; kernels that are being written use containers all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tessera/window_layout.hpp"

namespace tessera {

/// Largest heap of a kernel thread in bytes: as much as its globals may take.
inline constexpr std::size_t kKernelHeapSize = kProcessorSlotSize;  ///< bytes

/// A write of a kernel outside of its blocks.
struct HeapDamage {
    std::string what;         ///< the byte and the block, as messages have it
    std::uint64_t allocated;  ///< the kernel's instruction that allocated the block
};

/// Blocks of one kernel thread; what a kernel does not free goes with its thread. They are in a
/// range of addresses of their own, so that an overrun reaches no memory of the emulator. The first
/// blocks have pages of their own, and faulting pages behind them: an access past their end, or
/// after they were freed, faults. Around later blocks, and over those that were freed, a pattern
/// shows what was written.
class KernelHeap {
public:
    /// Errors   UsageError if the host reserves no addresses.
    KernelHeap();
    ~KernelHeap();
    KernelHeap(const KernelHeap&) = delete;
    KernelHeap& operator=(const KernelHeap&) = delete;

    /// Returns a block of `bytes`, or null beyond kKernelHeapSize. `call`: the kernel's
    /// instruction.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, std::uint64_t call);
    /// Returns the damage found around the block. The block must be allocated.
    [[nodiscard]] std::optional<HeapDamage> free(void* block);
    /// Returns the size of a block; 0 if it is not allocated.
    [[nodiscard]] std::size_t size_of(const void* block) const;
    [[nodiscard]] std::size_t bytes_held() const noexcept { return bytes_held_; }

    /// Returns the first damage among all blocks, in order of addresses.
    [[nodiscard]] std::optional<HeapDamage> damage() const;
    /// Returns the byte and the block that an access at `address` misses, as messages have it;
    /// nothing if the address is not in the heap.
    [[nodiscard]] std::optional<std::string> missed_block(std::uint64_t address) const;

private:
    struct Block {
        std::size_t size = 0;
        std::byte* span = nullptr;  ///< first byte of what belongs to the block alone
        std::size_t span_size = 0;
        std::uint64_t call = 0;
        bool has_pages = false;  ///< of its own, with a faulting page behind them
        bool is_freed = false;
    };
    using Blocks = std::map<std::byte*, Block>;

    [[nodiscard]] std::optional<Block> take_pages(std::size_t bytes, std::size_t alignment);
    [[nodiscard]] std::optional<Block> take_chunk(std::size_t bytes, std::size_t alignment);
    [[nodiscard]] std::byte* unused_chunk(std::size_t bytes);
    [[nodiscard]] static std::optional<HeapDamage> damage_of(const Blocks::value_type& entry);

    std::byte* begin_;            ///< of the range of addresses
    std::byte* next_page_;        ///< for blocks with pages of their own
    std::byte* next_chunk_;       ///< for other blocks
    std::byte* end_of_chunks_;    ///< of those that are open
    std::size_t num_paged_ = 0;   ///< blocks that have pages of their own, freed ones too
    std::size_t num_mapped_ = 0;  ///< of them, those that are allocated
    std::size_t bytes_held_ = 0;
    Blocks blocks_;  ///< by address; freed ones too, until their memory is used again
    /// Freed chunks by size, the oldest first.
    std::map<std::size_t, std::vector<std::byte*>> freed_;
    std::optional<HeapDamage> found_;  ///< in a freed block whose memory is used again
};

}  // namespace tessera
