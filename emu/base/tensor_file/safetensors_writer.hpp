// SPDX-License-Identifier: Apache-2.0
// Writes safetensors files piece by piece, under a temporary name until they are complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/tensor_file/partial_file.hpp"
#include "emu/base/tensor_file/safetensors_header.hpp"

namespace tessera {

struct TensorDeclaration {
    std::string name;
    Dtype dtype = Dtype::BF16;
    Shape shape;
};

/// Declares all tensors first, then accepts their bytes in pieces, in any order of tensors. Keeps
/// nothing in memory. Until `finish` the file has the name `<path>.partial-<pid>-<n>`. The
/// destructor of an unfinished writer removes it and leaves `path` unchanged.
///
/// In the file, wide elements come first and names are sorted. Equal declarations therefore give
/// equal bytes, and every tensor is aligned to its elements.
class SafetensorsWriter {
public:
    /// Errors   UsageError if a name occurs twice or is "__metadata__", or if the temporary file
    ///          cannot be created.
    SafetensorsWriter(std::filesystem::path path, std::span<const TensorDeclaration> tensors,
                      const FileMetadata& metadata = {});

    /// Appends bytes to a tensor.
    /// Errors   UsageError if it is not declared, receives more bytes than its shape has, or the
    ///          disk refuses.
    void append(std::string_view name, std::span<const std::byte> bytes);

    /// Renames the file to its final name.
    /// Errors   UsageError if a tensor is incomplete or the rename fails.
    void finish();

private:
    struct Progress {
        TensorEntry entry;
        std::uint64_t written = 0;
    };

    PartialFile file_;
    std::uint64_t data_offset_ = 0;
    std::map<std::string, Progress, std::less<>> tensors_;
};

/// Writes whole tensors by name.
/// Errors   as SafetensorsWriter; UsageError for block formats.
void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, const HostTensor*>& tensors,
                       const FileMetadata& metadata = {});

}  // namespace tessera
