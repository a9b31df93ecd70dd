// SPDX-License-Identifier: Apache-2.0
// The inputs of a MoE layer from a safetensors file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "emu/base/tensor_file/safetensors.hpp"
#include "runtime/config/override.hpp"
#include "runtime/pipeline/moe_inputs.hpp"

namespace tessera::run {

/// A file that holds the inputs of a MoE layer: hidden_states (T,H) BF16, selected_experts (T,K)
/// U32, routing_weights (T,K) BF16, device_expert_mapping (D,E/D) I32, gate_weights and up_weights
/// (E,H,H') BF16, down_weights (E,H',H) BF16. Other tensors are ignored. Weights are paged in when
/// a device's are asked for.
class MoeInputFile {
public:
    /// Opens the file and checks shapes and dtypes against each other. Values are checked where
    /// the pipeline takes them.
    /// Errors   UsageError naming file, tensor, what was found and what is allowed.
    explicit MoeInputFile(const std::filesystem::path& path);

    [[nodiscard]] const std::string& path() const noexcept { return file_->path(); }
    /// D.
    [[nodiscard]] std::uint32_t num_devices() const;
    /// T, H, H', E and K in place of the workload's.
    [[nodiscard]] std::vector<config::Override> shapes() const;
    /// Copies the small tensors; the weights stay in the file, which stays open as long.
    [[nodiscard]] MoeInputs inputs() const;

private:
    std::shared_ptr<const SafetensorsFile> file_;
};

}  // namespace tessera::run
