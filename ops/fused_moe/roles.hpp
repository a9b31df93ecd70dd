// SPDX-License-Identifier: Apache-2.0
// The three roles of the modular kernel: what an implementation of each does, as steps, and the
// traits by which the kernel joins them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/fused_moe/layer.hpp"
#include "ops/fused_moe/steps.hpp"

namespace tessera::ops::fused_moe {

/// How activations lie between prepare and finalize.
enum class Format : std::uint8_t {
    Standard,        ///< (M, H) rows of tokens, with ids and weights of each
    BatchedExperts,  ///< (L, C, H): each local expert's rows together, with their counts
};

/// Type in which a dispatch takes topk_ids.
enum class IdsType : std::uint8_t { Any, Int32, UInt32 };

/// Who reduces what the experts of several devices give to one token.
enum class Reduction : std::uint8_t {
    Finalize,  ///< finalize returns each device its own tokens, complete
    Layer,     ///< every device has all tokens, and the layer sums over the devices
};

/// Names of the tensors that prepare leaves on each device.
struct Dispatched {
    std::string activations;
    std::uint32_t tokens = 0;    ///< rows of ids and weights
    std::string scales;          ///< of activations in codes (Layer::a_scales); empty: none
    bool are_quantised = false;  ///< codes, or numbers of codes
    std::string ids;             ///< (tokens, K)
    std::string weights;         ///< (tokens, K)
    /// (1, 1): how many of the rows there are, where the devices alone know it; else empty.
    std::string num_tokens;

    // The members below belong to batches.
    std::string expert_num_tokens;  ///< (L), or (L, 1)
    std::string num_routed_tokens;  ///< the same, (L, 1) uint32
    std::string rows;               ///< (tokens, K): row of the batches, −1 if none
    std::uint32_t capacity = 0;     ///< rows that an expert has room for
};

/// Output of the experts.
struct ExpertOutput {
    std::string tensor;
    std::string rows;  ///< (tokens, K): the choice's row, −1 if none is here; of unreduced ones
};

/// Dispatches tokens to the devices of their experts, and brings results back.
struct PrepareAndFinalize {
    std::string_view name;
    std::string_view like;          ///< the public implementation that it is as
    std::string_view backend = {};  ///< its name in VLLM_ALL2ALL_BACKEND
    Format activation_format = Format::Standard;
    IdsType topk_indices = IdsType::Any;
    Reduction reduction = Reduction::Layer;
    /// The reduction that Delegate leaves to it.
    std::string_view delegate;
    /// The same as of Experts: its dispatch looks up no map.
    bool needs_contiguous_experts = false;
    /// Whether tokens are quantised for the first product before they are sent.
    bool sends_codes = false;
    /// Returns the rows that each expert has room for, over all dispatchers; 0: of Standard.
    std::uint32_t (*capacity)(const Layer& layer) = nullptr;
    Dispatched (*prepare)(const Layer& layer, Steps& steps) = nullptr;
    /// Turns partial sums (tokens, H) of this device's experts into the tensor that the layer goes
    /// on with: its own tokens' rows (Reduction::Finalize), or the partial sums themselves.
    std::string (*finalize)(const Layer& layer, const std::string& partial, Steps& steps) = nullptr;
};

/// Memory that apply works in, allocated once and used by all chunks: elements of bfloat16.
struct WorkspaceShapes {
    Shape workspace13;  ///< of both products
    Shape workspace2;   ///< of the activation, and of rows that were permuted before
    Shape output;
};
/// Names under which steps place tensors there.
inline constexpr const char* kWorkspace13 = "workspace13";
inline constexpr const char* kWorkspace2 = "workspace2";
inline constexpr const char* kOutput = "output";

/// Returns the workspaces of experts whose rows are choices of tokens, or batches.
[[nodiscard]] WorkspaceShapes standard_workspaces(const Layer& layer, const Dispatched& tokens);
[[nodiscard]] WorkspaceShapes batched_workspaces(const Layer& layer, const Dispatched& tokens);

/// Errors that the numbers of experts allow: the square of the largest error of an element, over
/// max(|element|, rms), and the least correlation with the exact result.
struct ExpertLimits {
    double max_error_squared = 0.05 * 0.05;
    double min_pcc = 0.9998;
};

/// Permute, product with w1, activation, product with w2, unpermute, perhaps weigh and reduce.
struct Experts {
    std::string_view name;
    std::string_view like;
    Format activation_format = Format::Standard;
    bool supports_chunking = false;
    bool supports_expert_map = false;
    Quantisation quantisation = Quantisation::None;
    /// Whether its products are those of expert rows, which take codes, scales and biases.
    bool has_expert_products = true;
    /// Weights that it is made for, in codes, and without another activation than silu. None: any.
    Quantisation made_for = Quantisation::None;
    /// Whether device p has to have experts [p·E/D, (p+1)·E/D): no map is looked up.
    bool needs_contiguous_experts = false;
    ExpertLimits limits = {};
    std::string_view finalize_weight_and_reduce;  ///< a name of the third role
    WorkspaceShapes (*workspace_shapes)(const Layer& layer, const Dispatched& tokens) = nullptr;
    /// Prepares the weights before the first chunk; null: they are taken as they are.
    void (*load)(Layer& layer, Steps& steps) = nullptr;
    ExpertOutput (*apply)(const Layer& layer, const Dispatched& tokens, Steps& steps) = nullptr;
};

/// Returns whether one of the two finds the device of an expert by its number.
[[nodiscard]] constexpr bool need_contiguous_experts(const PrepareAndFinalize& prepare_finalize,
                                                     const Experts& experts) {
    return prepare_finalize.needs_contiguous_experts || experts.needs_contiguous_experts;
}

/// Weighs the choices of a token and sums them: called by finalize, as the experts ask for it.
struct WeightAndReduce {
    std::string_view name;
    std::string_view what;
    /// Returns (tokens, H) from the output of the experts; null: left to the PrepareAndFinalize.
    std::string (*apply)(const Layer& layer, const Dispatched& tokens, const ExpertOutput& output,
                         Steps& steps) = nullptr;
};

/// Returns the parameters of the layer's activation.
[[nodiscard]] Settings activation_settings(const Layer& layer);
/// Adds the layer's activation of the rows that the second of `inputs` counts. @returns the tensor.
[[nodiscard]] std::string add_activation(const Layer& layer, std::vector<std::string> inputs,
                                         const char* counted_by, Steps& steps);

// Return the tables, a row an implementation (table_<role>.cpp).
[[nodiscard]] std::span<const PrepareAndFinalize> all_prepare_finalize();
[[nodiscard]] std::span<const Experts> all_experts();
[[nodiscard]] std::span<const WeightAndReduce> all_weight_and_reduce();

/// Returns the row of that name, or null.
[[nodiscard]] const PrepareAndFinalize* find_prepare_finalize(std::string_view name);
[[nodiscard]] const Experts* find_experts(std::string_view name);
[[nodiscard]] const WeightAndReduce* find_weight_and_reduce(std::string_view name);

}  // namespace tessera::ops::fused_moe
