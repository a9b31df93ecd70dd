// SPDX-License-Identifier: Apache-2.0
// Device 2.0: values of type T in own L1, with pointer arithmetic.
// Source   tt-metal tt_metal/hw/inc/experimental/core_local_mem.h.
#pragma once

#include <compare>
#include <cstddef>
#include <utility>

#include "tessera/kernel/objects/circular_buffer.hpp"
#include "tessera/kernel/objects/noc.hpp"

namespace experimental {

/// Pointer into the kernel's own L1 that can be an endpoint of a transfer.
template <class T, class AddressType = std::uintptr_t>
class CoreLocalMem {
public:
    CoreLocalMem(AddressType address) : address_(address) {}  // NOLINT: implicit, as the vendor's
    CoreLocalMem(T* pointer)                                  // NOLINT: implicit, as the vendor's
        : address_(reinterpret_cast<AddressType>(pointer)) {}

    [[nodiscard]] tt_l1_ptr T* get_unsafe_ptr() const {
        return reinterpret_cast<tt_l1_ptr T*>(address_);
    }
    [[nodiscard]] AddressType get_address() const { return address_; }

    T& operator[](std::uint32_t index) const { return get_unsafe_ptr()[index]; }
    T& operator*() const { return *get_unsafe_ptr(); }
    T* operator->() const { return get_unsafe_ptr(); }
    CoreLocalMem operator+(std::ptrdiff_t count) const {
        return CoreLocalMem(address_ + static_cast<AddressType>(count) * sizeof(T));
    }
    CoreLocalMem operator-(std::ptrdiff_t count) const { return *this + -count; }
    CoreLocalMem& operator+=(std::ptrdiff_t count) { return *this = *this + count; }
    CoreLocalMem& operator-=(std::ptrdiff_t count) { return *this = *this - count; }
    CoreLocalMem& operator++() { return *this += 1; }
    CoreLocalMem& operator--() { return *this -= 1; }
    CoreLocalMem operator++(int) { return std::exchange(*this, *this + 1); }
    CoreLocalMem operator--(int) { return std::exchange(*this, *this - 1); }
    std::ptrdiff_t operator-(const CoreLocalMem& other) const {
        return (static_cast<std::ptrdiff_t>(address_) -
                static_cast<std::ptrdiff_t>(other.address_)) /
               static_cast<std::ptrdiff_t>(sizeof(T));
    }
    /// Marks elements as in use until the end of the scope.
    [[nodiscard]] auto scoped_lock(std::size_t /*num_elements*/ = 1) const {
        return Lock(tessera::kernel::NoRelease{});
    }
    auto operator<=>(const CoreLocalMem&) const = default;
    explicit operator bool() const { return address_ != 0; }

private:
    AddressType address_;
};

/// Reads and writes at the pointer, plus a byte offset.
template <class T, class AddressType>
struct noc_traits_t<CoreLocalMem<T, AddressType>> {
    using src_args_type = tessera::kernel::SourceOffset;
    using dst_args_type = tessera::kernel::SourceOffset;

    static std::uint32_t local_address(const CoreLocalMem<T, AddressType>& memory,
                                       const src_args_type& args) {
        return static_cast<std::uint32_t>(memory.get_address()) + args.offset_bytes;
    }
};

}  // namespace experimental
