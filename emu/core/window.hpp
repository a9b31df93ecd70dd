// SPDX-License-Identifier: Apache-2.0
// Reserves a core's 4 GiB window of host address space, laid out as tessera/window_layout.hpp says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/processor.hpp"

namespace tessera {

/// Address space for windows side by side, each of 4 GiB and aligned to it. Nothing of it can be
/// touched yet.
class WindowSpace {
public:
    /// Errors   UsageError if the host refuses the reservation.
    explicit WindowSpace(std::size_t num_windows);
    ~WindowSpace();
    WindowSpace(const WindowSpace&) = delete;
    WindowSpace& operator=(const WindowSpace&) = delete;

    [[nodiscard]] std::byte* window(std::size_t index) const noexcept;

private:
    std::byte* begin_ = nullptr;
    std::size_t num_windows_;
};

/// How a window's stacks and globals are opened. Hosts allow a process a number of mappings (65530
/// by default), and each stretch of pages that may be touched, or may not, is one. L1 takes two.
enum class WindowMapping : std::uint8_t {
    Apart,   ///< each on its own, all else faults: up to 12 more mappings
    Merged,  ///< all from the globals on, which are guarded if the host's kernel knows how to
             ///< without mappings (Linux 6.13): no further mapping
};

/// Opens L1 at `base`, a window of a WindowSpace that must outlive it, and a processor's stack and
/// globals once a kernel is placed on it: most cores of a large mesh run no kernel. Memory is
/// committed on touch.
/// Errors   UsageError if the host refuses.
class Window {
public:
    /// A window that prefers `Apart` is `Merged` if the process has too few mappings left.
    Window(std::byte* base, std::uint64_t l1_size, WindowMapping preferred = WindowMapping::Apart);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] std::byte* base() const noexcept { return base_; }
    [[nodiscard]] std::byte* at(std::uint32_t address) const noexcept { return base_ + address; }
    /// Makes a processor's stack readable and writable, for a kernel that is placed on it.
    /// Errors   UsageError if the host refuses.
    void open_stack(Processor processor);
    /// Returns one past the highest byte of a processor's stack; it grows down for `stack_size()`
    /// bytes.
    [[nodiscard]] std::byte* stack_top(Processor processor) const noexcept;
    [[nodiscard]] static std::size_t stack_size() noexcept;
    /// Makes the first `bytes` of a processor's kernel globals readable and writable.
    /// Errors   UsageError if the host refuses.
    [[nodiscard]] std::byte* commit_kernel_globals(Processor processor, std::size_t bytes);
    [[nodiscard]] bool contains(const void* address) const noexcept;

private:
    /// Opens a range as the window's mapping has it, which is chosen the first time.
    void open(std::byte* begin, std::size_t bytes);
    void open_merged();

    /// Parts of the window that a processor's kernels have needed so far.
    struct Opened {
        bool has_stack = false;
        std::size_t globals = 0;  ///< bytes
    };

    std::byte* base_;
    WindowMapping mapping_;
    bool has_kernels_ = false;  ///< and so a mapping that it keeps
    std::array<Opened, kNumProcessors> opened_{};
};

}  // namespace tessera
