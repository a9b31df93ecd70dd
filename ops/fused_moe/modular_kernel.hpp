// SPDX-License-Identifier: Apache-2.0
// Joins a PrepareAndFinalize and Experts: decides whether they go together, and lists the steps of
// a layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/fused_moe/roles.hpp"
#include "ops/fused_moe/weight_formats.hpp"

namespace tessera::ops::fused_moe {

/// Properties of a layer that decide whether two implementations go together for it.
struct Demands {
    std::uint32_t ranks = 1;
    DataFormat topk_indices = DataFormat::Int32;
    bool is_chunked = false;                ///< whether the tokens go through the experts in parts
    const WeightFormat* weights = nullptr;  ///< null: bfloat16
    bool has_bias = false;                  ///< w1_bias or w2_bias
    Activation activation = Activation::Silu;
    bool weighs_inputs = false;  ///< apply_router_weight_on_input

    /// Returns the quantisation of activations, as the weights ask for it.
    [[nodiscard]] Quantisation codes() const {
        return weights == nullptr ? Quantisation::None : weights->quantisation;
    }
};

/// A key of a layer whose value does not go with the layer's parts, and why.
struct KeyRefusal {
    std::string_view key;
    std::string reason;
};

/// Returns whether activations in such codes can be sent: a scale belongs to rows, or is known to
/// all devices.
[[nodiscard]] bool can_be_sent(Quantisation quantisation);

/// Returns the quantisation of activations in a layer with such weights.
[[nodiscard]] inline Quantisation quantisation_of(const Experts& experts, const Demands& demands) {
    return experts.quantisation == Quantisation::None ? demands.codes() : experts.quantisation;
}

/// Returns the reason why the two do not go together; nothing if they do.
[[nodiscard]] std::optional<std::string> refusal(const PrepareAndFinalize& prepare_finalize,
                                                 const Experts& experts, const Demands& demands);

/// Returns every reason why a layer with these two does not run: refusal(), and the format of the
/// weights, biases and keys that the experts do not take.
[[nodiscard]] std::vector<KeyRefusal> layer_refusals(const PrepareAndFinalize& prepare_finalize,
                                                     const Experts& experts,
                                                     const Demands& demands);

/// Returns the steps of a layer, from tensors "a", "w1", "w2", "topk_ids", "topk_weights" and
/// "expert_map" to "out".
///
/// Stages   [apply_router_weight_on_input]; where finalize returns each device its own tokens
///          (Reduction::Finalize), the device's part of the batch; prepare; the experts, in chunks
///          of `chunk_tokens` if not 0; weigh and reduce; finalize; the sum over the devices, or
///          their parts one after the other.
/// Precondition   layer_refusals() has none.
[[nodiscard]] std::vector<PartStep> modular_kernel(const PrepareAndFinalize& prepare_finalize,
                                                   const Experts& experts, Layer layer,
                                                   std::uint32_t chunk_tokens);

/// Returns the tensors that prepare leaves, without its steps: extents of workspaces follow from
/// them.
[[nodiscard]] Dispatched dispatched(const PrepareAndFinalize& prepare_finalize, const Layer& layer);

}  // namespace tessera::ops::fused_moe
