// SPDX-License-Identifier: Apache-2.0
// Tensors of a layer in the files of a model: which stored tensors make up those of the run file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/model/moe_model.hpp"
#include "runtime/model/yaml_text.hpp"

namespace tessera::model {

/// Origins of tensors of a run file, and what they convert.
struct CheckpointTensors {
    std::vector<PathValue> origins;
    std::vector<std::string> assumptions;
    std::string_view quantisation = kUnquantised;  ///< of experts: a value of params.quantisation
};

/// Finds the tensors of attention and the norms of a layer, under names that all families with
/// grouped-query attention share, or those of DeepSeek with latent attention. Models without a bias
/// of the output projection get zeros there.
/// Errors   as checkpoint_tensors().
[[nodiscard]] CheckpointTensors attention_tensors(const MoeModel& model,
                                                  const std::filesystem::path& folder,
                                                  std::uint32_t layer);

/// Finds the MoE tensors of layer `layer` in a folder of safetensors files. Experts in e4m3 with
/// scales of 128 × 128 blocks or rows, in MXFP4 and in NVFP4 keep their codes, unless `quantisation`
/// asks for bfloat16.
/// Errors   UsageError with the file and the name, if the folder holds no model or lacks the tensor
///          of the router, or if experts are stored in another way than `quantisation`. Other
///          tensors are checked when the run opens them.
[[nodiscard]] CheckpointTensors checkpoint_tensors(
    const MoeModel& model, const std::filesystem::path& folder, std::uint32_t layer,
    const std::optional<std::string>& quantisation = {});

}  // namespace tessera::model
