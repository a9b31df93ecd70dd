// SPDX-License-Identifier: Apache-2.0
// The results of a MoE run as a safetensors file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::run {

/// What a run leaves: per device `d<i>.num_routed_tokens` (E/D,1) U32, `.routed_tokens` and
/// `.token_idx_map` (E/D,T) U32, `.routed_token_weights` (E/D,T), `.scattered` (E/D,T,H), `.gate`,
/// `.up`, `.silu`, `.combined` (E/D,T,H'), `.down` (E/D,T,H), `.local` (T,H), then `final` (T,H);
/// BF16 where not said. Without `.silu` if silu and mul are fused: no such tensor exists then.
[[nodiscard]] std::vector<TensorDeclaration> moe_output_tensors(const RunSpec& run);

}  // namespace tessera::run
