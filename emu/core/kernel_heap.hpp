// SPDX-License-Identifier: Apache-2.0
// Heap of a kernel thread, which finds accesses outside of allocated blocks. A core of the chip has
// no heap, but kernels under development use containers.
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

/// Write of a kernel outside of its blocks.
struct HeapDamage {
    std::string what;         ///< the byte and the block, in the words of messages
    std::uint64_t allocated;  ///< address of the kernel's instruction that allocated the block
};

/// Blocks of one kernel thread. Blocks that a kernel does not free are released with its thread.
/// They are in a separate range of addresses, so that an overrun reaches no memory of the emulator.
/// The first blocks have pages of their own with an inaccessible page after them: an access past
/// their end, or after they were freed, faults. Later blocks have a byte pattern on both sides, and
/// freed ones are filled with another: a changed pattern shows the write.
class KernelHeap {
public:
    /// Errors   UsageError if the host reserves no addresses.
    KernelHeap();
    ~KernelHeap();
    KernelHeap(const KernelHeap&) = delete;
    KernelHeap& operator=(const KernelHeap&) = delete;

    /// Returns a block of `bytes`, or null beyond kKernelHeapSize. `call` is the address of the
    /// kernel's instruction.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment, std::uint64_t call);
    /// Returns the damage found around the block. The block must be allocated.
    [[nodiscard]] std::optional<HeapDamage> free(void* block);
    /// Returns the size of a block; 0 if it is not allocated.
    [[nodiscard]] std::size_t size_of(const void* block) const;
    [[nodiscard]] std::size_t bytes_held() const noexcept { return bytes_held_; }

    /// Returns the first damage among all blocks, in order of addresses.
    [[nodiscard]] std::optional<HeapDamage> damage() const;
    /// Returns the block nearest to an access at `address` and the byte's offset in it, in the
    /// words of messages. Returns nothing if the address is not in the heap.
    [[nodiscard]] std::optional<std::string> missed_block(std::uint64_t address) const;

private:
    struct Block {
        std::size_t size = 0;
        std::byte* span = nullptr;  ///< first byte of the memory that only this block uses
        std::size_t span_size = 0;
        std::uint64_t call = 0;  ///< address of the instruction that allocated the block
        bool has_pages = false;  ///< whether it has pages of its own
        bool is_freed = false;
    };
    using Blocks = std::map<std::byte*, Block>;

    [[nodiscard]] std::optional<Block> take_pages(std::size_t bytes, std::size_t alignment);
    [[nodiscard]] std::optional<Block> take_chunk(std::size_t bytes, std::size_t alignment);
    [[nodiscard]] std::byte* unused_chunk(std::size_t bytes);
    [[nodiscard]] static std::optional<HeapDamage> damage_of(const Blocks::value_type& entry);

    std::byte* begin_;            ///< start of the range of addresses
    std::byte* next_page_;        ///< next block with pages of its own
    std::byte* next_chunk_;       ///< next chunk that was never used
    std::byte* end_of_chunks_;    ///< end of the chunks that are readable and writable
    std::size_t num_paged_ = 0;   ///< blocks with pages of their own, including freed ones
    std::size_t num_mapped_ = 0;  ///< blocks with pages of their own that are allocated
    std::size_t bytes_held_ = 0;
    Blocks blocks_;  ///< by address, including freed ones until their memory is reused
    /// Freed chunks by size, the oldest first.
    std::map<std::size_t, std::vector<std::byte*>> freed_;
    std::optional<HeapDamage> found_;  ///< damage of a freed block whose memory was reused
};

}  // namespace tessera
