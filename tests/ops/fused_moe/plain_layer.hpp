// SPDX-License-Identifier: Apache-2.0
// A fused-MoE layer by plain loops in double, which the modular kernels are held against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/pipeline/run_pipeline.hpp"

namespace tessera::ops::fused_moe {

/// What a layer does beside its experts.
struct Forward {
    std::string activation = "silu";
    bool weighs_input = false;
    std::size_t capacity = 1U << 20U;  ///< tokens that an expert takes, the first ones
};

/// The layer of a run of `ranks` devices, from the tensors that it starts from: rows of hidden
/// values.
[[nodiscard]] std::vector<double> expected(const config::LoadedRun& loaded, std::uint32_t ranks,
                                           const Forward& forward = {});

struct Distance {
    double error = 0;  ///< largest |result − expected| / max(|expected|, rms of all expected)
    double pcc = 0;
};

/// Of a result in bfloat16.
[[nodiscard]] Distance distance(const HostTensor& result, const std::vector<double>& wanted);

}  // namespace tessera::ops::fused_moe
