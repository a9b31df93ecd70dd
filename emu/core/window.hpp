// SPDX-License-Identifier: Apache-2.0
// Reserves each core's 4 GiB window of host address space (layout: tessera/window_layout.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/processor.hpp"

namespace tessera {

/// Reserved address space for consecutive windows, each of 4 GiB and aligned to 4 GiB. All of it is
/// inaccessible until a Window opens parts of it.
class WindowSpace {
public:
    /// Errors   UsageError if the host refuses the reservation.
    explicit WindowSpace(std::size_t num_windows);
    ~WindowSpace();
    WindowSpace(const WindowSpace&) = delete;
    WindowSpace& operator=(const WindowSpace&) = delete;

    /// Returns the first byte of a window.
    [[nodiscard]] std::byte* window(std::size_t index) const noexcept;

private:
    std::byte* begin_ = nullptr;
    std::size_t num_windows_;
};

/// Way in which the stacks and globals in a window become accessible. Hosts limit the number of
/// mappings of a process (65530 by default). Each range of consecutive pages that are accessible,
/// or that are not, is a mapping. L1 and the pages behind it take two.
enum class WindowMapping : std::uint8_t {
    /// Opens each stack and each processor's globals; all other addresses fault. Takes up to 12
    /// mappings more.
    Apart,
    /// Opens all addresses from the globals to the window's end and takes no further mapping. Pages
    /// below each stack fault if the host has guards that are not mappings (Linux 6.13).
    Merged,
};

/// Window of one core. The constructor makes L1 accessible. A processor's stack and globals become
/// accessible when a kernel is placed on it, because most cores of a large mesh run no kernel. The
/// host commits memory when it is touched.
/// Errors   UsageError if the host refuses.
class Window {
public:
    /// Opens L1 at `base`, a window of a WindowSpace that outlives this object. `Apart` becomes
    /// `Merged` if the process has too few mappings left.
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
    /// Opens a range in the way of `mapping_`, which the first call fixes.
    void open(std::byte* begin, std::size_t bytes);
    void open_merged();

    /// Parts of the window that are accessible to a processor's kernels.
    struct Opened {
        bool has_stack = false;
        std::size_t globals = 0;  ///< bytes
    };

    std::byte* base_;
    WindowMapping mapping_;
    bool has_kernels_ = false;  ///< whether `mapping_` is fixed
    std::array<Opened, kNumProcessors> opened_{};
};

}  // namespace tessera
