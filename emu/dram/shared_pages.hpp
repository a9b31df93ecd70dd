// SPDX-License-Identifier: Apache-2.0
// Bytes that appear in the memories of several devices but exist once, until a device writes to
// them: copy on write by the host's pages.
#pragma once

#include <cstddef>

namespace tessera {

class SharedPages {
public:
    /// Allocates zeros. Preconditions `bytes` is a multiple of page_size().
    /// Errors   UsageError if the host has no memory for them.
    explicit SharedPages(std::size_t bytes);
    ~SharedPages();
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;

    /// Fill these bytes before the first call of show().
    [[nodiscard]] std::byte* bytes() const noexcept { return bytes_; }

    /// Maps [first, first + count) at `to` in place of the present mapping. Writes there are
    /// private to `to`. Mapped pages outlive this object.
    /// Preconditions  all three are multiples of page_size().
    void show(std::size_t first, std::size_t count, std::byte* to) const;

    [[nodiscard]] static std::size_t page_size() noexcept;

private:
    int file_ = -1;
    std::size_t size_ = 0;
    std::byte* bytes_ = nullptr;
};

/// Maps fresh zeros at [begin, begin + count) in place of the present mapping.
void show_zeros(std::byte* begin, std::size_t count);

}  // namespace tessera
