// SPDX-License-Identifier: Apache-2.0
// Reads safetensors files: mapped, checked when opened, tensors loaded on first access.
// safetensors_writer.hpp writes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/base/tensor_file/mapped_file.hpp"
#include "emu/base/tensor_file/safetensors_header.hpp"

namespace tessera {

/// A tensor in an open file; valid as long as the file object exists. `bytes` is row-major and
/// little-endian, and need not be aligned to its elements.
struct StoredTensor {
    std::string name;
    Dtype dtype = Dtype::BF16;
    Shape shape;
    std::span<const std::byte> bytes;
    std::string unreadable = {};  ///< reason why at() and read() refuse it; its shape is then empty
};

class SafetensorsFile {
public:
    /// Opens a file and checks its whole header against its size.
    /// Errors   UsageError naming file, tensor, what was found and what is allowed.
    explicit SafetensorsFile(const std::filesystem::path& path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const FileMetadata& metadata() const noexcept { return metadata_; }
    /// Returns the tensors in the order of their data.
    [[nodiscard]] const std::vector<StoredTensor>& tensors() const noexcept { return tensors_; }
    /// Returns the tensor of that name, or nullptr if there is none.
    [[nodiscard]] const StoredTensor* find(std::string_view name) const noexcept;
    /// Returns the tensor of that name.
    /// Errors   UsageError that lists the existing names, or states why the tensor cannot be read.
    [[nodiscard]] const StoredTensor& at(std::string_view name) const;

    /// Copies a tensor to the host.
    /// Errors   UsageError if it is missing or its dtype has no device format.
    [[nodiscard]] HostTensor read(std::string_view name) const;

private:
    std::string path_;
    MappedFile file_;
    FileMetadata metadata_;
    std::vector<StoredTensor> tensors_;
};

}  // namespace tessera
