// SPDX-License-Identifier: Apache-2.0
// Names of a layer's tensors in the safetensors files of a model. {} is the number of the layer,
// * the number of an expert.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::model {

/// Layout of the weights of experts in a file.
enum class ExpertLayout : std::uint8_t {
    OneByOne,            ///< a tensor (out, in) for each expert and each of gate, up and down
    Stacked,             ///< (E, 2·N, H) gate then up, and (E, H, N)
    StackedTransposed,   ///< (E, H, 2·N) gate then up, and (E, N, H)
    StackedInterleaved,  ///< (E, H, 2·N) gate and up alternating, and (E, N, H), with biases
};

struct CheckpointNames {
    std::string_view prefix;  ///< prefix of a layer
    std::string_view router;
    std::string_view correction_bias = {};
    std::string_view router_bias = {};
    ExpertLayout layout = ExpertLayout::OneByOne;
    std::string_view gate = {};  ///< gate and up together if stacked
    std::string_view up = {};
    std::string_view down = {};
    std::string_view gate_bias = {};  ///< bias of gate and up together
    std::string_view down_bias = {};
    std::string_view shared_gate_proj = {};
    std::string_view shared_up_proj = {};
    std::string_view shared_down_proj = {};
    std::string_view shared_gate = {};
};

}  // namespace tessera::model
