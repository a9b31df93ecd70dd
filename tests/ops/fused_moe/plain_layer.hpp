// SPDX-License-Identifier: Apache-2.0
// A fused-MoE layer as plain loops in double, the reference of the modular kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera::ops::fused_moe {

/// Properties of a layer besides its experts.
struct Forward {
    std::string activation = "silu";
    bool weighs_input = false;
    std::size_t capacity = 1U << 20U;  ///< the first tokens that an expert processes
};

/// Computes the layer of a run of `ranks` devices from its input tensors. Returns rows of hidden
/// values.
[[nodiscard]] std::vector<double> expected(const config::LoadedRun& loaded, std::uint32_t ranks,
                                           const Forward& forward = {});

struct Distance {
    double error = 0;  ///< largest |result − expected| / max(|expected|, rms of all expected)
    double pcc = 0;
};

/// Returns the distance of a bfloat16 result.
[[nodiscard]] Distance distance(const HostTensor& result, const std::vector<double>& wanted);

}  // namespace tessera::ops::fused_moe
