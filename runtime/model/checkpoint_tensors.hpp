// SPDX-License-Identifier: Apache-2.0
// Tensors of a layer in the files of a model: which stored tensors make up those of the run file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/model/moe_model.hpp"
#include "runtime/model/yaml_text.hpp"

namespace tessera::model {

/// Origins of tensors of a run file, and what they convert.
struct CheckpointTensors {
    std::vector<PathValue> origins;
    std::vector<std::string> assumptions;
};

/// Finds the tensors of attention and the norms of a layer, under names that all families with
/// grouped-query attention share. Models without a bias of the output projection get zeros there.
/// Errors   as checkpoint_tensors().
[[nodiscard]] CheckpointTensors attention_tensors(const MoeModel& model,
                                                  const std::filesystem::path& folder,
                                                  std::uint32_t layer);

/// Finds the MoE tensors of layer `layer` in a folder of safetensors files.
/// Errors   UsageError with the file and the name, if the folder holds no model or lacks the tensor
///          of the router. Other tensors are checked when the run opens them.
[[nodiscard]] CheckpointTensors checkpoint_tensors(const MoeModel& model,
                                                   const std::filesystem::path& folder,
                                                   std::uint32_t layer);

}  // namespace tessera::model
