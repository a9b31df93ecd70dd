// SPDX-License-Identifier: Apache-2.0
// A core's 4 GiB window of host address space: L1 at offset 0, kernel data and stacks above.
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
    /// Highest address of the stack of a processor; it grows down for `kKernelStackSize` bytes.
    [[nodiscard]] std::byte* stack_top(Processor processor) const noexcept;
    /// Makes the first `bytes` of a processor's kernel data readable and writable.
    [[nodiscard]] std::byte* commit_kernel_data(Processor processor, std::size_t bytes);
    [[nodiscard]] bool contains(const void* address) const noexcept;

private:
    std::byte* base_ = nullptr;
};

}  // namespace tessera
