// SPDX-License-Identifier: Apache-2.0
// Reserves a core's 4 GiB window of host address space, laid out as tessera/window_layout.hpp says.
#pragma once

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

/// How a window is opened. Hosts allow a process a number of mappings (65530 by default), and each
/// stretch of pages that may be touched, or may not, is one.
enum class WindowMapping : std::uint8_t {
    Apart,   ///< L1, stacks and globals each on their own, all else faults: up to 14 mappings
    Merged,  ///< L1, and all from the globals on, which are guarded if the host's kernel knows how
             ///< to without mappings (Linux 6.13): 2 mappings
};

/// The mapping with which that many windows are possible on this host.
[[nodiscard]] WindowMapping window_mapping_for(std::size_t num_windows);

/// Opens L1 and the stacks at `base`, a window of a WindowSpace that must outlive it; memory is
/// committed on touch.
/// Errors   UsageError if the host refuses.
class Window {
public:
    Window(std::byte* base, std::uint64_t l1_size, WindowMapping mapping = WindowMapping::Apart);
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] std::byte* base() const noexcept { return base_; }
    [[nodiscard]] std::byte* at(std::uint32_t address) const noexcept { return base_ + address; }
    /// Returns one past the highest byte of a processor's stack; it grows down for `stack_size()`
    /// bytes.
    [[nodiscard]] std::byte* stack_top(Processor processor) const noexcept;
    [[nodiscard]] static std::size_t stack_size() noexcept;
    /// Makes the first `bytes` of a processor's kernel globals readable and writable.
    [[nodiscard]] std::byte* commit_kernel_globals(Processor processor, std::size_t bytes);
    [[nodiscard]] bool contains(const void* address) const noexcept;

private:
    std::byte* base_;
    WindowMapping mapping_;
};

}  // namespace tessera
