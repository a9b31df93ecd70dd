// SPDX-License-Identifier: Apache-2.0
// Storage of the experts' weights in a model's files, as quantization_config states it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tessera::model {

class ConfigJson;

/// params.quantisation of experts in bfloat16.
inline constexpr const char* kUnquantised = "none";

/// Weights of experts as they are published.
struct PublishedWeights {
    std::string method;                       ///< quant_method; empty: no quantization_config
    std::string quantisation = kUnquantised;  ///< value of params.quantisation
    std::uint32_t group = 0;                  ///< columns that share a scale of int4_group; 0: all
    bool has_zero_points = false;             ///< of int4_group
    /// Property for which the layer takes bfloat16 instead; empty if `quantisation` is that of the
    /// files.
    std::string untaken;
    std::string note;  ///< property of the files that the run leaves out; empty: none
    /// Why layers have experts in bfloat16 unlike the others, by the number of the layer.
    std::map<std::uint32_t, std::string> excluded = {};
};

/// Returns the storage that the section quantization_config states.
/// Errors   UsageError with the place and the value for keys of another type. Forms that the
///          layer cannot compute with are not errors: `untaken` names them.
[[nodiscard]] PublishedWeights read_published_weights(const ConfigJson& section);

/// Returns why a layer has experts in bfloat16 unlike the others, or null.
[[nodiscard]] const std::string* exclusion_of(const PublishedWeights& weights, std::uint32_t layer);

/// Returns the assumption that experts are bfloat16 because of a property of their storage.
[[nodiscard]] std::string bfloat16_instead(const PublishedWeights& weights, std::string_view why);

}  // namespace tessera::model
