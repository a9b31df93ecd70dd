// SPDX-License-Identifier: Apache-2.0
// The safetensors files of a model as Hugging Face ships them: one file, or shards with an index.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "emu/base/tensor_file/safetensors.hpp"

namespace tessera {

/// A tensor and the file that holds it, for messages.
struct CheckpointEntry {
    const StoredTensor* tensor = nullptr;
    std::string file;
};

/// Opens a shard at the first request for one of its tensors. Shards are mapped, so that only
/// tensors that are read take memory. Requests may come from several threads.
class Checkpoint {
public:
    /// Opens a safetensors file, or a folder with model.safetensors.index.json or
    /// model.safetensors.
    /// Errors   UsageError if there is no such file, or if the index is not JSON with a weight_map.
    explicit Checkpoint(const std::filesystem::path& path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Returns a tensor; without one if no file is said to hold it.
    /// Errors   UsageError if its shard is missing or does not hold it, or as SafetensorsFile.
    [[nodiscard]] CheckpointEntry find(const std::string& name) const;
    /// Errors   UsageError with the nearest name if there is no such tensor; as find().
    [[nodiscard]] CheckpointEntry at(const std::string& name) const;

private:
    void read_index(const std::filesystem::path& index);
    const SafetensorsFile& shard(const std::string& name) const;

    std::filesystem::path folder_;
    std::string path_;                                          ///< the index, or the only file
    std::map<std::string, std::string, std::less<>> shard_of_;  ///< by tensor
    mutable std::mutex mutex_;                                  ///< of `shards_`
    mutable std::map<std::string, std::unique_ptr<const SafetensorsFile>> shards_;
};

}  // namespace tessera
