// SPDX-License-Identifier: Apache-2.0
// Appends numbers and names to a string of bytes, least significant byte first.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera::trace_file {

static_assert(std::endian::native == std::endian::little, "trace files are little-endian");

class ByteWriter {
public:
    template <std::integral Number>
    void number(Number value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    /// Writes the length (u32), then the bytes.
    void text(std::string_view value) {
        number(static_cast<std::uint32_t>(value.size()));
        bytes_.append(value);
    }
    /// Writes elements with their memory layout.
    template <class Element>
    void elements(std::span<const Element> values) {
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    std::string bytes_;
};

}  // namespace tessera::trace_file
