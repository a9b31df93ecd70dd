// SPDX-License-Identifier: Apache-2.0
// Reads the output of ByteWriter with bounds checks.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tessera::trace_file {

/// Thrown by the reader; the section's reader adds file and section.
struct CorruptBytes {
    std::string what;
};

/// Returns whether the bytes are UTF-8 as defined in RFC 3629.
[[nodiscard]] constexpr bool is_utf8(std::string_view text) noexcept {
    int more = 0;
    unsigned low = 0x80;  // bounds of the next byte
    unsigned high = 0xBF;
    for (const char letter : text) {
        const unsigned byte = static_cast<unsigned char>(letter);
        if (more > 0) {
            if (byte < low || byte > high) {
                return false;
            }
            --more;
            low = 0x80;
            high = 0xBF;
        } else if (byte >= 0x80) {
            if (byte < 0xC2 || byte > 0xF4) {
                return false;
            }
            more = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
            low = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
            high = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
        }
    }
    return more == 0;
}
static_assert(is_utf8("a\xC2\xB7\xE2\x82\xAC\xF0\x9F\x98\x80"));
static_assert(!is_utf8("\x80") && !is_utf8("\xC0\x80") && !is_utf8("\xED\xA0\x80") &&
              !is_utf8("\xF4\x90\x80\x80") && !is_utf8("\xC2"));

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    /// Errors   CorruptBytes past the end; applies to all functions below.
    template <std::integral Number>
    [[nodiscard]] Number number() {
        Number value{};
        std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
        return value;
    }
    /// Reads a name. Names appear in reports, which are UTF-8.
    [[nodiscard]] std::string text() {
        const std::string_view text = take(number<std::uint32_t>());
        if (!is_utf8(text)) {
            throw CorruptBytes{"it has a name that is not UTF-8"};
        }
        return std::string(text);
    }
    /// Reads an element with its memory layout.
    template <class Element>
    [[nodiscard]] Element element() {
        Element value;
        std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
        return value;
    }
    /// Reads a count of elements of at least `least_bytes` bytes each, which must fit in the rest.
    template <std::integral Count = std::uint32_t>
    [[nodiscard]] Count count(std::size_t least_bytes) {
        const auto count = number<Count>();
        if (count > bytes_.size() / least_bytes) {
            throw CorruptBytes{"it ends inside a list"};
        }
        return count;
    }
    /// Checks that all bytes have been read.
    void finish() const {
        if (!bytes_.empty()) {
            throw CorruptBytes{"it has bytes after its end"};
        }
    }

private:
    [[nodiscard]] std::string_view take(std::uint64_t size) {
        if (size > bytes_.size()) {
            throw CorruptBytes{"it ends inside a number or a name"};
        }
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }
    std::string_view bytes_;
};

}  // namespace tessera::trace_file
