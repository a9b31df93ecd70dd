// SPDX-License-Identifier: Apache-2.0
#include "emu/core/kernel_heap.hpp"

#include <algorithm>
#include <cstdlib>

namespace tessera {

KernelHeap::~KernelHeap() {
    for (const auto& [block, size] : sizes_) {
        std::free(const_cast<void*>(block));
    }
}

void* KernelHeap::allocate(std::size_t bytes, std::size_t alignment) {
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    if (size > kKernelHeapSize - bytes_held_) {
        return nullptr;
    }
    void* block = nullptr;
    if (posix_memalign(&block, std::max(alignment, alignof(std::max_align_t)), size) != 0) {
        return nullptr;
    }
    sizes_.emplace(block, size);
    bytes_held_ += size;
    return block;
}

bool KernelHeap::free(void* block) {
    const auto found = sizes_.find(block);
    if (found == sizes_.end()) {
        return false;
    }
    bytes_held_ -= found->second;
    sizes_.erase(found);
    std::free(block);
    return true;
}

std::size_t KernelHeap::size_of(const void* block) const {
    const auto found = sizes_.find(block);
    return found == sizes_.end() ? 0 : found->second;
}

}  // namespace tessera
