// SPDX-License-Identifier: Apache-2.0
#include "emu/core/window.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "tessera/errors.hpp"
#include "tessera/window_layout.hpp"

namespace tessera {
namespace {

// 64 KiB holds spdlog, fmt and oneDNN with more than twice the need; kernels compiled for the host
// use more than the chip's 2 KiB.
constexpr std::uint64_t kKernelStackSize = 128 * 1024;
constexpr std::uint64_t kPage = 4096;

// Windows are aligned to 4 GiB: stacks at one offset in all of them would share a few sets of the
// host's caches and TLBs, and a launch touches them all (70 against 56 us for 64 x 3 fibers). So
// each stack begins some pages and lines below the end of its slot.
constexpr std::uint64_t kStackColours = 64;
constexpr std::uint64_t kStackStagger = kPage + 11 * 64;

std::uint64_t stagger_of(const std::byte* base, std::uint64_t processor) {
    const std::uint64_t window = reinterpret_cast<std::uint64_t>(base) / kWindowSize;
    return (window % kStackColours * kNumProcessors + processor) * kStackStagger;
}

// Opens the pages that hold the range.
void open_range(std::byte* begin, std::uint64_t bytes) {
    const std::uint64_t in_page = reinterpret_cast<std::uint64_t>(begin) % kPage;
    const int failed = mprotect(begin - in_page, bytes + in_page, PROT_READ | PROT_WRITE);
    ensure(failed == 0, "mprotect of {} bytes of a core's window: {}", bytes, std::strerror(errno));
}

// mmap knows no alignment: reserve twice the size, give back what lies outside.
std::byte* reserve_aligned() {
    void* raw = mmap(nullptr, 2 * kWindowSize, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ensure(raw != MAP_FAILED, "reserving a core's window of address space: {}",
           std::strerror(errno));
    const auto begin = reinterpret_cast<std::uint64_t>(raw);
    const std::uint64_t base = (begin + kWindowSize - 1) & kWindowBaseMask;
    if (base != begin) {
        munmap(raw, base - begin);
    }
    if (const std::uint64_t rest = begin + kWindowSize - base; rest != 0) {
        munmap(reinterpret_cast<void*>(base + kWindowSize), rest);
    }
    return reinterpret_cast<std::byte*>(base);
}

}  // namespace

Window::Window(std::uint64_t l1_size) : base_(reserve_aligned()) {
    open_range(base_, l1_size);
    for (std::uint32_t p = 0; p < kNumProcessors; ++p) {
        std::byte* top = stack_top(static_cast<Processor>(p));
        open_range(top - kKernelStackSize, kKernelStackSize);
    }
}

Window::~Window() {
    munmap(base_, kWindowSize);
}

std::byte* Window::stack_top(Processor processor) const noexcept {
    return base_ + kernel_stack_top_offset(processor) -
           stagger_of(base_, static_cast<std::uint64_t>(processor));
}

std::byte* Window::commit_kernel_globals(Processor processor, std::size_t bytes) {
    std::byte* begin = base_ + kernel_globals_offset(processor);
    ensure(bytes <= kProcessorSlotSize, "kernel globals of {} bytes exceed their slot of {}", bytes,
           kProcessorSlotSize);
    if (bytes != 0) {
        open_range(begin, bytes);
    }
    return begin;
}

bool Window::contains(const void* address) const noexcept {
    return window_base_of(reinterpret_cast<std::uint64_t>(address)) ==
           reinterpret_cast<std::uint64_t>(base_);
}

std::size_t Window::stack_size() noexcept {
    return kKernelStackSize;
}

}  // namespace tessera
