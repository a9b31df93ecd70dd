// SPDX-License-Identifier: Apache-2.0
// Experts that tokens chose: traces of serving engines, and synthetic loads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::model {

/// Choices of tokens in layers, (tokens, layers, top_k) in row-major order; −1 chooses nothing.
struct RoutingTrace {
    std::string name;  ///< the file, or the synthetic load, for messages
    std::uint32_t tokens = 0;
    std::uint32_t layers = 0;
    std::uint32_t top_k = 0;
    std::vector<std::int32_t> ids;

    [[nodiscard]] std::int32_t at(std::uint32_t token, std::uint32_t layer,
                                  std::uint32_t choice) const {
        return ids[(std::size_t{token} * layers + layer) * top_k + choice];
    }
};

/// Properties of a layer that a synthetic load needs.
struct TraceShape {
    std::uint32_t tokens = 1;
    std::uint32_t experts = 1;
    std::uint32_t top_k = 1;
};

/// Reads the ids that vLLM and SGLang return for a batch: (tokens, layers, top_k) or, for one
/// layer, (tokens, top_k). They are integers in a .npy file or in a safetensors file. In a
/// safetensors file they are one of these:
/// - the only tensor of that form;
/// - the tensor called topk_ids, routed_experts, expert_ids or selected_experts;
/// - one tensor per layer, with its number in the name.
///
/// Errors   UsageError with the file, the value found and what is allowed.
[[nodiscard]] RoutingTrace read_routing(const std::filesystem::path& path);

/// Draws a load: uniform, zipf[:EXPONENT] (1), lognormal[:SIGMA] (1) or hot[:SHARE] (0.5), the
/// share of tokens that choose one expert first. Experts get their popularity in random order.
/// Errors   UsageError for an unknown word or a number out of range, which names the `option` that
///          gave the load.
[[nodiscard]] RoutingTrace draw_routing(const std::string& load, const TraceShape& shape,
                                        std::string_view option = "--routing");

/// Reads the file of that name if there is one, else draws the load.
/// Errors   as read_routing and draw_routing.
[[nodiscard]] RoutingTrace routing_called(const std::string& word, const TraceShape& shape,
                                          std::string_view option = "--routing");

/// Refuses ids of other experts than a layer has.
/// Errors   UsageError with the place of the first.
void require_ids(const RoutingTrace& trace, std::uint32_t experts);

/// Device of each expert.
using Placement = std::vector<std::uint32_t>;

/// Returns the placement with contiguous experts; the first devices have one more if their number
/// does not divide.
[[nodiscard]] Placement linear_placement(std::uint32_t experts, std::uint32_t devices);

/// Choices of one layer by expert and by device.
struct RoutingLoad {
    std::vector<std::uint64_t> experts;
    std::vector<double> devices;
    double fan_out = 0;              ///< mean number of devices of a token that chooses any
    std::uint32_t most_devices = 0;  ///< largest number for a token
};

/// Counts the choices of a layer under a placement.
[[nodiscard]] RoutingLoad routing_load(const RoutingTrace& trace, std::uint32_t layer,
                                       const Placement& placement, std::uint32_t devices);

/// Returns the largest element over the mean; 1 if all are 0.
[[nodiscard]] double max_over_mean(const std::vector<double>& loads);

}  // namespace tessera::model
