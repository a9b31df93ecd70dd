// SPDX-License-Identifier: Apache-2.0
// Functions that kernels call in place of functions of the host. emu/kernel_pass inserts the calls.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
/// Ends the kernel at a call of `function`, which is not on the list of emu/kernel_pass.
/// Errors   KernelFault{Unsupported} at the line, or at the thread's last API call if `file` is "".
[[noreturn]] void tessera_refuse_call(const char* function, const char* file, std::uint32_t line);

/// Allocates memory of the kernel's heap (emu/core/kernel_heap.hpp). This function and the next
/// five have the semantics of the C functions that they replace.
/// Errors   KernelFault{OutOfBounds} beyond the heap's limit, {UndefinedBehavior} if a freed block
///          was not allocated by the kernel or was freed before.
void* tessera_kernel_malloc(std::size_t bytes);
/// Allocates zeroed memory of the kernel's heap.
void* tessera_kernel_calloc(std::size_t count, std::size_t bytes);
/// Resizes a block of the kernel's heap.
void* tessera_kernel_realloc(void* block, std::size_t bytes);
/// Allocates memory of the kernel's heap at a multiple of `alignment`.
void* tessera_kernel_aligned_alloc(std::size_t alignment, std::size_t bytes);
/// Serves operator new with an alignment: tessera_kernel_aligned_alloc with its arguments swapped.
void* tessera_kernel_new_aligned(std::size_t bytes, std::size_t alignment);
/// Frees a block of the kernel's heap.
void tessera_kernel_free(void* block);
}
