// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: eight bytes of little-endian length, then JSON with each
// tensor's dtype, shape and range in the data that follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "emu/base/tensor_file/dtype.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

using FileMetadata = std::map<std::string, std::string>;

/// One tensor as the header declares it; offsets count from the end of the header.
struct TensorEntry {
    std::string name;
    Dtype dtype = Dtype::BF16;
    Shape shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    /// Reason why the tensor cannot be read although the rest of the file can; `shape` is then
    /// empty.
    std::string unreadable = {};
};

struct SafetensorsHeader {
    FileMetadata metadata;
    std::vector<TensorEntry> entries;  ///< in the order of their data
    std::uint64_t data_offset = 0;     ///< offset of the data in the file
};

/// Longest accepted header; the limit of the reference implementation.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Returns the bytes of a tensor of that dtype and shape.
/// Errors   UsageError naming `file` and `name` if they do not fit in 64 bits, or if packed
///          elements do not fill whole bytes.
[[nodiscard]] std::uint64_t tensor_bytes(const std::string& file, const std::string& name,
                                         Dtype dtype, const std::vector<std::uint64_t>& extents);

/// Parses and checks the header of a whole file's bytes. The tensors must cover the data without
/// hole, overlap or rest. A tensor with an extent above 2^32 − 1 is checked like any other and
/// marked as unreadable. `file` is the name in messages.
/// Errors   UsageError naming file, tensor, what was found and what is allowed.
/// Source   github.com/huggingface/safetensors, README, "Format".
[[nodiscard]] SafetensorsHeader parse_safetensors_header(const std::string& file,
                                                         std::span<const std::byte> bytes);

/// Returns length and JSON, padded with spaces so that the data starts at a multiple of 8.
[[nodiscard]] std::string format_safetensors_header(const FileMetadata& metadata,
                                                    std::span<const TensorEntry> entries);

}  // namespace tessera
