// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/checkpoint.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "emu/base/fields/nearest.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndex = "model.safetensors.index.json";
constexpr const char* kSingle = "model.safetensors";

}  // namespace

Checkpoint::Checkpoint(const fs::path& path) : folder_(path), path_(path.string()) {
    require(fs::exists(path), "{}: no such folder or file", path_);
    if (fs::is_directory(path) && fs::exists(path / kIndex)) {
        path_ = (path / kIndex).string();
        read_index(path_);
        return;
    }
    const fs::path file = fs::is_directory(path) ? path / kSingle : path;
    require(fs::exists(file), "{}: holds neither {} nor {}", path_, kIndex, kSingle);
    folder_ = file.parent_path();
    path_ = file.string();
    const std::string name = file.filename().string();
    for (const StoredTensor& tensor : shard(name).tensors()) {
        shard_of_.emplace(tensor.name, name);
    }
}

void Checkpoint::read_index(const fs::path& index) {
    std::ifstream stream(index);
    const auto json = nlohmann::json::parse(stream, nullptr, false);
    const bool has_map =
        json.is_object() && json.contains("weight_map") && json["weight_map"].is_object();
    require(has_map, "{}: {}; allowed: {{\"weight_map\": {{tensor: file}}}}", index.string(),
            json.is_discarded() ? "not JSON" : "has no weight_map");
    for (const auto& [tensor, file] : json["weight_map"].items()) {
        require(file.is_string(), "{}: weight_map.{}: is {}; allowed: the name of a file",
                index.string(), tensor, file.dump());
        shard_of_.emplace(tensor, file.get<std::string>());
    }
}

const SafetensorsFile& Checkpoint::shard(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    auto& file = shards_[name];
    if (file == nullptr) {
        file = std::make_unique<const SafetensorsFile>(folder_ / name);
    }
    return *file;
}

CheckpointEntry Checkpoint::find(const std::string& name) const {
    const auto found = shard_of_.find(name);
    if (found == shard_of_.end()) {
        return {};
    }
    const fs::path file = folder_ / found->second;
    require(fs::exists(file), "{}: missing; {} has {} in it", file.string(), path_, name);
    const StoredTensor* tensor = shard(found->second).find(name);
    require(tensor != nullptr, "{}: tensor {} is missing, which {} has in it", file.string(), name,
            path_);
    require(tensor->unreadable.empty(), "{}: tensor {}: {}", file.string(), name,
            tensor->unreadable);
    return {tensor, file.string()};
}

CheckpointEntry Checkpoint::at(const std::string& name) const {
    CheckpointEntry entry = find(name);
    if (entry.tensor == nullptr) {
        std::vector<std::string> names;
        for (const auto& [tensor, file] : shard_of_) {
            names.push_back(tensor);
        }
        throw UsageError(fmt::format("{}: tensor {} is missing; nearest: {}", path_, name,
                                     names.empty() ? "none" : config::nearest(name, names)));
    }
    return entry;
}

}  // namespace tessera
