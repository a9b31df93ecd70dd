// SPDX-License-Identifier: Apache-2.0
// The safetensors files of a Hugging Face model: one file, or shards with an index.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "emu/base/tensor_file/safetensors.hpp"

namespace tessera {

/// A tensor, and the name of its file for messages.
struct CheckpointEntry {
    const StoredTensor* tensor = nullptr;
    std::string file;
};

/// Opens a shard when one of its tensors is first requested. Shards are mapped, so only tensors
/// that are read use memory. Thread-safe.
class Checkpoint {
public:
    /// Opens a safetensors file, or a folder with model.safetensors.index.json or
    /// model.safetensors.
    /// Errors   UsageError if there is no such file, or if the index is not JSON with a weight_map.
    explicit Checkpoint(const std::filesystem::path& path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Returns an entry; its tensor is empty if no file lists it.
    /// Errors   UsageError if its shard is missing or does not contain it; those of
    ///          SafetensorsFile.
    [[nodiscard]] CheckpointEntry find(const std::string& name) const;
    /// Returns an existing entry.
    /// Errors   UsageError with the nearest name if the tensor does not exist; those of find().
    [[nodiscard]] CheckpointEntry at(const std::string& name) const;

private:
    void read_index(const std::filesystem::path& index);
    const SafetensorsFile& shard(const std::string& name) const;

    std::filesystem::path folder_;
    std::string path_;                                          ///< the index, or the only file
    std::map<std::string, std::string, std::less<>> shard_of_;  ///< by tensor
    mutable std::mutex mutex_;                                  ///< protects `shards_`
    mutable std::map<std::string, std::unique_ptr<const SafetensorsFile>> shards_;
};

}  // namespace tessera
