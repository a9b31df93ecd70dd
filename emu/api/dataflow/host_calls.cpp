// SPDX-License-Identifier: Apache-2.0
#include "tessera/host_calls.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "emu/core/fault.hpp"
#include "emu/core/kernel_heap.hpp"
#include "emu/core/kernel_thread.hpp"

namespace {

using tessera::FaultCategory;
using tessera::KernelHeap;
using tessera::KernelThread;

constexpr std::size_t kAnyAlignment = 1;

/// The kernel's instruction that calls, from the address that a call returns to.
std::uint64_t call_before(const void* return_address) {
    return reinterpret_cast<std::uint64_t>(return_address) - 1;
}

[[noreturn]] void fault_at(std::uint64_t call, FaultCategory category, std::string detail) {
    throw tessera::KernelFault{category, {}, std::move(detail), call};
}

KernelHeap& heap_of(KernelThread& thread) {
    if (!thread.heap) {
        thread.heap = std::make_unique<KernelHeap>();
    }
    return *thread.heap;
}

void* allocate(std::size_t bytes, std::size_t alignment, std::uint64_t call) {
    KernelHeap& heap = heap_of(tessera::current_thread());
    void* block = heap.allocate(bytes, alignment, call);
    if (block == nullptr) {
        fault_at(call, FaultCategory::OutOfBounds,
                 fmt::format("the kernel allocates {} bytes, aligned to {}, while it holds {}; "
                             "allowed: {} bytes a kernel, aligned to a power of two",
                             bytes, alignment, heap.bytes_held(), tessera::kKernelHeapSize));
    }
    return block;
}

void free_block(void* block, std::uint64_t call) {
    if (block == nullptr) {
        return;
    }
    KernelHeap& heap = heap_of(tessera::current_thread());
    if (heap.size_of(block) == 0) {
        fault_at(call, FaultCategory::UndefinedBehavior,
                 "the kernel frees an address that it has not allocated or has freed before");
    }
    if (const auto damage = heap.free(block)) {
        fault_at(call, FaultCategory::OutOfBounds,
                 fmt::format("the kernel has written {} (found where it frees the block)",
                             damage->what));
    }
}

}  // namespace

void tessera_refuse_call(const char* function, const char* file, std::uint32_t line) {
    tessera::fault(FaultCategory::Unsupported, {file, line},
                   "the kernel calls {}, which a core does not have; allowed: the kernel API, and "
                   "functions of memory, strings and mathematics",
                   function);
}

void* tessera_kernel_malloc(std::size_t bytes) {
    return allocate(bytes, kAnyAlignment, call_before(__builtin_return_address(0)));
}

void* tessera_kernel_calloc(std::size_t count, std::size_t bytes) {
    std::size_t size = 0;
    const bool overflows = __builtin_mul_overflow(count, bytes, &size);
    size = overflows ? ~std::size_t{0} : size;
    void* block = allocate(size, kAnyAlignment, call_before(__builtin_return_address(0)));
    return std::memset(block, 0, size);
}

void* tessera_kernel_realloc(void* block, std::size_t bytes) {
    const std::uint64_t call = call_before(__builtin_return_address(0));
    const std::size_t held = heap_of(tessera::current_thread()).size_of(block);
    void* larger = allocate(bytes, kAnyAlignment, call);
    std::memcpy(larger, held == 0 ? larger : block, std::min(held, bytes));
    free_block(block, call);
    return larger;
}

void* tessera_kernel_aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return allocate(bytes, alignment, call_before(__builtin_return_address(0)));
}

void* tessera_kernel_new_aligned(std::size_t bytes, std::size_t alignment) {
    return allocate(bytes, alignment, call_before(__builtin_return_address(0)));
}

void tessera_kernel_free(void* block) {
    free_block(block, call_before(__builtin_return_address(0)));
}
