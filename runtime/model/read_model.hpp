// SPDX-License-Identifier: Apache-2.0
// Reads the numbers of a model from its config.json, and records the origin of each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/model/moe_model.hpp"

namespace tessera::model {

/// A number that the file states.
struct TakenValue {
    std::string name;  ///< ours: "experts"
    std::string value;
    std::string key;  ///< the file's: "num_local_experts"
};

struct ReadModel {
    std::string name;  ///< name of config.json's folder, or of the file
    std::string path;
    MoeModel model;
    std::vector<TakenValue> taken;
    /// Sentences about values that the file leaves open, and about the run's choice for each.
    std::vector<std::string> assumptions;
};

/// Reads a config.json.
/// Errors   UsageError with the file, its line and the key: for a family that is not in the table,
///          absent keys, values of a wrong type or out of range, and contradictory keys.
[[nodiscard]] ReadModel read_model(const std::filesystem::path& path);

}  // namespace tessera::model
