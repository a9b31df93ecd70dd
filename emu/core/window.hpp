// SPDX-License-Identifier: Apache-2.0
// A core's 4 GiB window of host address space, laid out as tessera/window_layout.hpp says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/processor.hpp"

namespace tessera {

/// Reserves 4 GiB aligned to 4 GiB; memory is committed on touch, everything else faults.
/// Errors   InternalError if the host refuses the reservation.
class Window {
public:
    explicit Window(std::uint64_t l1_size);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] std::byte* base() const noexcept { return base_; }
    [[nodiscard]] std::byte* at(std::uint32_t address) const noexcept { return base_ + address; }
    /// One past the highest byte of a processor's stack; it grows down for `stack_size()` bytes.
    [[nodiscard]] std::byte* stack_top(Processor processor) const noexcept;
    [[nodiscard]] static std::size_t stack_size() noexcept;
    /// Makes the first `bytes` of a processor's kernel globals readable and writable.
    [[nodiscard]] std::byte* commit_kernel_globals(Processor processor, std::size_t bytes);
    [[nodiscard]] bool contains(const void* address) const noexcept;

private:
    std::byte* base_ = nullptr;
};

}  // namespace tessera
