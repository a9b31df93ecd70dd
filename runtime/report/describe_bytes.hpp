// SPDX-License-Identifier: Apache-2.0
// Writes and reads described structs (describe.hpp) as bytes without keys, for files of one program
// that no other reads.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/report/describe.hpp"

namespace tessera::report {

/// Value that is written as one number, or an array of such.
template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Writes members in the order of their description. Integers have seven bits in each byte, since
/// most are small.
class BytesWriter {
public:
    template <class T>
    void operator()(const char*, const T& value) {
        write(value);
    }
    template <class Make>
    void derived(const char*, Make) {}
    template <class Code, class T>
    void coded(const char*, const T& value) {
        if constexpr (requires { write_plain(value); }) {
            write_plain(value);
        } else {
            const bool is_empty = [&] {
                if constexpr (requires { value.empty(); }) {
                    return value.empty();
                }
                return false;
            }();
            // Most threads have no points: they need no document.
            write(is_empty ? std::vector<std::uint8_t>() : Json::to_cbor(Code::write(value)));
        }
    }
    template <class Describe>
    void section(const char*, Describe describe_section) {
        describe_section(*this);
    }
    template <class T, class Describe>
    void optional_section(const char*, const std::optional<T>& value, Describe describe_section) {
        write(value.has_value());
        if (value) {
            describe_section(*this, *value);
        }
    }
    template <class Row, class Describe>
    void list(const char*, const std::vector<Row>& rows, Describe describe_row) {
        write(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            describe_row(*this, rows[i], i);
        }
    }
    template <class Row, class Describe>
    void device_rows(const char* key, const std::vector<Row>& rows, Describe describe_row) {
        list(key, rows, describe_row);
    }
    [[nodiscard]] std::vector<std::uint8_t> take() { return std::exchange(bytes_, {}); }

private:
    template <class T>
    void write(const T& value) {
        if constexpr (requires { describe(*this, value); }) {
            describe(*this, value);
        } else {
            write_plain(value);
        }
    }
    template <class T>
    void write(const std::optional<T>& value) {
        optional_section("", value, [](BytesWriter& fields, const T& held) { fields.write(held); });
    }
    template <class T>
    void write(const std::vector<T>& values) {
        list("", values,
             [](BytesWriter& fields, const T& value, std::size_t) { fields.write(value); });
    }
    void write(const std::string& text) {
        write(text.size());
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    template <Number T>
    void write_plain(T value) {
        if constexpr (std::floating_point<T>) {
            const auto bits = std::bit_cast<std::uint64_t>(double{value});
            for (unsigned shift = 0; shift < 64; shift += 8) {
                bytes_.push_back(static_cast<std::uint8_t>(bits >> shift));
            }
        } else {
            write_integer(static_cast<std::uint64_t>(value));
        }
    }
    template <Number T, std::size_t kCount>
    void write_plain(const std::array<T, kCount>& values) {
        for (const T value : values) {
            write_plain(value);
        }
    }
    void write_integer(std::uint64_t value) {
        for (; value >= 0x80U; value >>= 7U) {
            bytes_.push_back(static_cast<std::uint8_t>(value | 0x80U));
        }
        bytes_.push_back(static_cast<std::uint8_t>(value));
    }

    std::vector<std::uint8_t> bytes_;
};

/// Reads the output of a BytesWriter.
/// Errors   std::out_of_range for bytes that end too early or count more rows than there are bytes.
class BytesReader {
public:
    explicit BytesReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    template <class T>
    void operator()(const char*, T& value) {
        read(value);
    }
    template <class Make>
    void derived(const char*, Make) {}
    template <class Code, class T>
    void coded(const char*, T& value) {
        if constexpr (requires { read_plain(value); }) {
            read_plain(value);
        } else {
            std::vector<std::uint8_t> document;
            read(document);
            if (!document.empty()) {
                Code::read(Json::from_cbor(document), value);
            }
        }
    }
    template <class Describe>
    void section(const char*, Describe describe_section) {
        describe_section(*this);
    }
    template <class T, class Describe>
    void optional_section(const char*, std::optional<T>& value, Describe describe_section) {
        bool has_value = false;
        read(has_value);
        value.reset();
        if (has_value) {
            describe_section(*this, value.emplace());
        }
    }
    template <class Row, class Describe>
    void list(const char*, std::vector<Row>& rows, Describe describe_row) {
        std::size_t count = 0;
        read(count);
        require_left(count);
        rows.resize(count);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            describe_row(*this, rows[i], i);
        }
    }
    template <class Row, class Describe>
    void device_rows(const char* key, std::vector<Row>& rows, Describe describe_row) {
        list(key, rows, describe_row);
    }

private:
    template <class T>
    void read(T& value) {
        if constexpr (requires { describe(*this, value); }) {
            describe(*this, value);
        } else {
            read_plain(value);
        }
    }
    template <class T>
    void read(std::optional<T>& value) {
        optional_section("", value, [](BytesReader& fields, T& held) { fields.read(held); });
    }
    template <class T>
    void read(std::vector<T>& values) {
        list("", values, [](BytesReader& fields, T& value, std::size_t) { fields.read(value); });
    }
    void read(std::string& text) {
        std::size_t size = 0;
        read(size);
        require_left(size);
        text.assign(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size));
        bytes_ = bytes_.subspan(size);
    }
    template <Number T>
    void read_plain(T& value) {
        if constexpr (std::floating_point<T>) {
            std::uint64_t bits = 0;
            for (unsigned shift = 0; shift < 64; shift += 8) {
                bits |= std::uint64_t{next()} << shift;
            }
            value = static_cast<T>(std::bit_cast<double>(bits));
        } else {
            value = static_cast<T>(read_integer());
        }
    }
    template <Number T, std::size_t kCount>
    void read_plain(std::array<T, kCount>& values) {
        for (T& value : values) {
            read_plain(value);
        }
    }
    [[nodiscard]] std::uint64_t read_integer() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t byte = next();
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80U) {
                break;
            }
        }
        return value;
    }
    [[nodiscard]] std::uint8_t next() {
        require_left(1);
        const std::uint8_t byte = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return byte;
    }
    /// A row takes a byte at least, so that a damaged count allocates no more than the file has.
    void require_left(std::size_t bytes) const {
        if (bytes > bytes_.size()) {
            throw std::out_of_range("the bytes of a described struct end too early");
        }
    }

    std::span<const std::uint8_t> bytes_;
};

}  // namespace tessera::report
