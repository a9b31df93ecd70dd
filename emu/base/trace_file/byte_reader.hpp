// SPDX-License-Identifier: Apache-2.0
// Reads what ByteWriter wrote, and never past the end.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::trace_file {

/// Thrown by the reader; the section's reader adds file and section.
struct CorruptBytes {
    std::string what;
};

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    /// Errors   CorruptBytes past the end, for this and all below.
    template <std::integral Number>
    [[nodiscard]] Number number() {
        Number value{};
        std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
        return value;
    }
    [[nodiscard]] std::string text() { return std::string(take(number<std::uint32_t>())); }
    template <class Element>
    void elements(std::uint64_t count, std::vector<Element>& values) {
        if (count > bytes_.size() / sizeof(Element)) {
            throw CorruptBytes{"it ends inside a list"};
        }
        const std::string_view bytes = take(count * sizeof(Element));
        values.resize(count);
        if (!bytes.empty()) {
            std::memcpy(values.data(), bytes.data(), bytes.size());
        }
    }
    /// A count of elements of at least `least_bytes` bytes each, which must fit.
    [[nodiscard]] std::uint32_t count(std::size_t least_bytes) {
        const auto count = number<std::uint32_t>();
        if (count > bytes_.size() / least_bytes) {
            throw CorruptBytes{"it ends inside a list"};
        }
        return count;
    }
    [[nodiscard]] bool is_empty() const noexcept { return bytes_.empty(); }

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
