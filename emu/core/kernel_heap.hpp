// SPDX-License-Identifier: Apache-2.0
// Holds what a kernel thread has allocated. A core of the chip has no heap; kernels that are being
// written use containers all the same.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include "tessera/window_layout.hpp"

namespace tessera {

/// What a kernel thread may have allocated at a time: as much as its globals may take.
inline constexpr std::size_t kKernelHeapSize = kProcessorSlotSize;  ///< bytes

/// Blocks of one kernel thread; what a kernel does not free goes with its thread.
class KernelHeap {
public:
    KernelHeap() = default;
    ~KernelHeap();
    KernelHeap(const KernelHeap&) = delete;
    KernelHeap& operator=(const KernelHeap&) = delete;

    /// Returns a block of `bytes`, or null beyond kKernelHeapSize.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment);
    /// Returns false if `block` is none of this heap.
    [[nodiscard]] bool free(void* block);
    /// Returns the size of a block; 0 if it is none of this heap.
    [[nodiscard]] std::size_t size_of(const void* block) const;
    [[nodiscard]] std::size_t bytes_held() const noexcept { return bytes_held_; }

private:
    std::unordered_map<const void*, std::size_t> sizes_;
    std::size_t bytes_held_ = 0;
};

}  // namespace tessera
