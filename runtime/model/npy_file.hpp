// SPDX-License-Identifier: Apache-2.0
// Arrays of whole numbers in NumPy's format .npy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tessera::model {

/// An array in row-major order.
struct NpyArray {
    std::vector<std::uint64_t> shape;
    std::vector<std::int64_t> values;
};

/// Returns a little-endian integer of 1 to 8 bytes.
/// Errors   UsageError with the file's path for a number of 2^63 or more.
[[nodiscard]] std::int64_t integer_at(const std::string& path, std::span<const std::byte> bytes,
                                      bool is_signed);

/// Returns whether the file begins as NumPy's files do. The name does not tell: downloads often have
/// none of its suffixes.
[[nodiscard]] bool is_npy(const std::filesystem::path& path);

/// Reads an array of little-endian integers of 1 to 8 bytes.
/// Errors   UsageError with the file, the value found and what is allowed: for another format,
///          floats, Fortran order, a header above 10 000 B, and data whose length does not match
///          the shape; a number of 2^63 or more; a version other than 1 to 3.
/// Source   numpy.lib.format, versions 1.0 to 3.0.
[[nodiscard]] NpyArray read_npy(const std::filesystem::path& path);

}  // namespace tessera::model
