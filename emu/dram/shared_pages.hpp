// SPDX-License-Identifier: Apache-2.0
// Bytes that stand in the memories of several devices and exist once, until one of them is written
// to: copy on write, by the host's pages.
#pragma once

#include <cstddef>

namespace tessera {

class SharedPages {
public:
    /// Zeros.  Preconditions  `bytes` is a multiple of page_size().
    /// Errors   UsageError if the host has no memory for them.
    explicit SharedPages(std::size_t bytes);
    ~SharedPages();
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;

    /// To be filled before they are shown.
    [[nodiscard]] std::byte* bytes() const noexcept { return bytes_; }

    /// Puts [first, first + count) in place of what is mapped at `to`; writes there are `to`'s own.
    /// The pages outlive this object where they are shown.
    /// Preconditions  all three are multiples of page_size().
    void show(std::size_t first, std::size_t count, std::byte* to) const;

    [[nodiscard]] static std::size_t page_size() noexcept;

private:
    int file_ = -1;
    std::size_t size_ = 0;
    std::byte* bytes_ = nullptr;
};

/// Puts fresh zeros in place of whatever is mapped at [begin, begin + count).
void show_zeros(std::byte* begin, std::size_t count);

}  // namespace tessera
