// SPDX-License-Identifier: Apache-2.0
#include "emu/core/window.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "emu/core/host_mappings.hpp"
#include "tessera/errors.hpp"
#include "tessera/window_layout.hpp"

namespace tessera {
namespace {

// 64 KiB holds fmt with more than twice the need (a fault formats its message on the kernel's
// stack); kernels compiled for the host use more than the chip's 2 KiB. Pages are committed on
// touch, so a larger stack costs address space only.
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
    require(failed == 0,
            "the host cannot open {} bytes of a core's window: {}; allowed are vm.max_map_count "
            "mappings and ulimit -d bytes",
            bytes, std::strerror(errno));
}

// MADV_GUARD_INSTALL of Linux 6.13: pages that fault and are no mapping of their own. An older
// kernel refuses, and they stay open.
void guard(std::byte* begin, std::uint64_t bytes) {
    constexpr int kInstallGuard = 102;
    (void)madvise(begin, bytes, kInstallGuard);
}

// Bytes that a frame may skip without touching them.
constexpr std::uint64_t kGuardSize = 64 * 1024;

// A window's L1 and what faults behind it; stack and globals of each processor, with what faults
// below them.
constexpr std::uint64_t kMappingsOfL1 = 2;
constexpr std::uint64_t kMappingsApart = std::uint64_t{4} * kNumProcessors;

}  // namespace

// mmap cannot align to a window, so one window more is reserved, and the parts before and after the
// aligned range are released. The range has the highest aligned address, so that the kernel places
// the next space directly below it. A process has 128 TiB, and 256 devices with 64 cores need 64 TiB
// without gaps.
WindowSpace::WindowSpace(std::size_t num_windows) : num_windows_(num_windows) {
    const std::uint64_t bytes = num_windows * kWindowSize;
    void* raw = mmap(nullptr, bytes + kWindowSize, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(
        raw != MAP_FAILED,
        "the host cannot reserve {} GiB of address space for the windows of {} cores: {}; is it "
        "limited (ulimit -v)?",
        (bytes + kWindowSize) >> 30U, num_windows, std::strerror(errno));
    const auto begin = reinterpret_cast<std::uint64_t>(raw);
    const std::uint64_t base = (begin + kWindowSize) & kWindowBaseMask;
    munmap(raw, base - begin);
    if (const std::uint64_t rest = begin + kWindowSize - base; rest != 0) {
        munmap(reinterpret_cast<void*>(base + bytes), rest);
    }
    begin_ = reinterpret_cast<std::byte*>(base);
}

WindowSpace::~WindowSpace() {
    munmap(begin_, num_windows_ * kWindowSize);
}

std::byte* WindowSpace::window(std::size_t index) const noexcept {
    return begin_ + index * kWindowSize;
}

Window::Window(std::byte* base, std::uint64_t l1_size, WindowMapping preferred)
    : base_(base), mapping_(preferred) {
    open_range(base_, l1_size);
    add_mappings(kMappingsOfL1);
}

Window::~Window() {
    const bool is_apart = has_kernels_ && mapping_ == WindowMapping::Apart;
    release_mappings(kMappingsOfL1 + (is_apart ? kMappingsApart : 0));
}

void Window::open(std::byte* begin, std::size_t bytes) {
    if (!has_kernels_) {
        if (mapping_ == WindowMapping::Apart && !take_mappings(kMappingsApart)) {
            mapping_ = WindowMapping::Merged;
        }
        has_kernels_ = true;
        if (mapping_ == WindowMapping::Merged) {
            open_merged();
        }
    }
    if (mapping_ == WindowMapping::Apart) {
        open_range(begin, bytes);
    }
}

// Launches place kernels on the same cores over and over: a call of the host each would cost more
// than the placing.
void Window::open_stack(Processor processor) {
    Opened& opened = opened_[static_cast<std::size_t>(processor)];
    if (!opened.has_stack) {
        open(stack_top(processor) - kKernelStackSize, kKernelStackSize);
        opened.has_stack = true;
    }
}

std::byte* Window::commit_kernel_globals(Processor processor, std::size_t bytes) {
    std::byte* begin = base_ + kernel_globals_offset(processor);
    ensure(bytes <= kProcessorSlotSize, "kernel globals of {} bytes exceed their slot of {}", bytes,
           kProcessorSlotSize);
    Opened& opened = opened_[static_cast<std::size_t>(processor)];
    if (bytes > opened.globals) {
        open(begin, bytes);
        opened.globals = bytes;
    }
    return begin;
}

void Window::open_merged() {
    open_range(base_ + kKernelGlobalsOffset, kWindowSize - kKernelGlobalsOffset);
    guard(base_ + kWindowSize - kGuardSize, kGuardSize);  // the next window's L1 follows
    for (std::uint32_t p = 0; p < kNumProcessors; ++p) {
        std::byte* bottom = stack_top(static_cast<Processor>(p)) - kKernelStackSize;
        const std::uint64_t in_page = reinterpret_cast<std::uint64_t>(bottom) % kPage;
        guard(bottom - in_page - kGuardSize, kGuardSize);
    }
}

std::byte* Window::stack_top(Processor processor) const noexcept {
    return base_ + kernel_stack_top_offset(processor) -
           stagger_of(base_, static_cast<std::uint64_t>(processor));
}

bool Window::contains(const void* address) const noexcept {
    return window_base_of(reinterpret_cast<std::uint64_t>(address)) ==
           reinterpret_cast<std::uint64_t>(base_);
}

std::size_t Window::stack_size() noexcept {
    return kKernelStackSize;
}

}  // namespace tessera
